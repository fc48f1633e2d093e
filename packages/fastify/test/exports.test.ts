import * as exported from "@authz/fastify";
import { expect, it } from "vitest";

it("exports what a service needs, and nothing else", () => {
  expect(Object.keys(exported).sort()).toEqual([
    "AuthzUnavailableError",
    "authz",
    "createNonceSource",
    "default",
    "generateEs256KeyPair",
    "inMemory",
    "initAuthz",
  ]);
});
