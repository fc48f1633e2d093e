import { expect, test } from "vitest";
import { fillIn } from "../../src/screens/providers/presets";

test("choosing a provider fills in unchanged fields", () => {
  const empty = { key: "", name: "", issuer: "" };
  const okta = fillIn(empty, "other", "okta");
  expect(okta).toEqual({ key: "okta", name: "Okta", issuer: "https://{your organization}.okta.com" });
  expect(fillIn({ ...okta, name: "Acme" }, "okta", "auth0")).toEqual({
    key: "auth0",
    name: "Acme",
    issuer: "https://{tenant}.auth0.com/",
  });
  expect(fillIn(okta, "okta", "other")).toEqual(empty);
});
