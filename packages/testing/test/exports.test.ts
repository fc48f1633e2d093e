import * as exported from "@authz/testing";
import { expect, it } from "vitest";

it("exports one function", () => {
  expect(Object.keys(exported)).toEqual(["createTestIssuer"]);
});
