import * as exported from "@authz/next";
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
