import { expect, test } from "vitest";
import { authorizationDetailsTypes } from "../../src/objects/authorization-details.js";

const declared = (type: string) => [{ type, title: { en: "Delete a contract" } }];

test("a service declares its types, but none of this server's own", () => {
  expect(authorizationDetailsTypes.safeParse(declared("contract_deletion")).success).toBe(true);
  expect(authorizationDetailsTypes.safeParse(declared("my-authz:call")).success).toBe(true);
  for (const type of ["authz:call", "authz:other"])
    expect(authorizationDetailsTypes.safeParse(declared(type)).success).toBe(false);
});
