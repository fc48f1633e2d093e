import * as exported from "@authz/hono";
import { expect, it } from "vitest";

it("exports what a service needs, and nothing else", () => {
  expect(Object.keys(exported).sort()).toEqual([
    "AuthzUnavailableError",
    "createNonceSource",
    "generateEs256KeyPair",
    "inMemory",
    "initAuthz",
  ]);
});
