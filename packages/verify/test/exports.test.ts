import * as verify from "@authz/verify";
import { expect, test } from "vitest";

test("@authz/verify exports exactly these names", () => {
  expect(Object.keys(verify).sort()).toEqual([
    "AuthzUnavailableError",
    "createNonceSource",
    "createUpgradeCheck",
    "findRoute",
    "generateEs256KeyPair",
    "inMemory",
    "initAuthz",
    "keptNodeBody",
    "readNodeBody",
    "requestFromFetch",
    "requestFromNode",
    "responseToFetch",
    "routeRequestFromNode",
    "sendNodeResponse",
    "wrongTarget",
  ]);
});

test("an Authz has exactly these members", async () => {
  const { createWorld } = await import("./support/world.js");
  expect(Object.keys(createWorld().authz).sort()).toEqual([
    "decide",
    "defineApproval",
    "definePolicy",
    "guardUpgrade",
    "handleFetch",
    "handleNode",
    "ready",
    "routes",
  ]);
});
