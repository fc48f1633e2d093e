import * as verify from "@authz/verify";
import { expect, test } from "vitest";

test("@authz/verify exports exactly these names", () => {
  expect(Object.keys(verify).sort()).toEqual([
    "AuthzError",
    "AuthzUnavailableError",
    "createNonceSource",
    "findRoute",
    "generateEs256KeyPair",
    "handleNodeRequest",
    "inMemory",
    "initAuthz",
    "readNodeBody",
    "requestFromFetch",
    "requestFromNode",
    "responseToFetch",
    "routeRequestFromNode",
    "sendNodeResponse",
  ]);
});

test("an Authz has exactly these members", async () => {
  const { createWorld } = await import("./support/world.js");
  expect(Object.keys(createWorld().authz).sort()).toEqual([
    "authenticate",
    "decide",
    "definePolicy",
    "handlers",
    "ready",
    "refusal",
    "routes",
  ]);
});
