import { expect, test } from "vitest";
import { isReturnPath } from "../../src/sign-in/sign-in-link.js";

test.each(["/admin", "/admin/", "/admin?q=a", "/admin/?q=a", "/admin/scopes", "/admin/scopes/?q=a"])(
  "a sign-in leads back to %s",
  (path) => {
    expect(isReturnPath(path)).toBe(true);
  },
);

test.each(["/admin//", "/admin//elsewhere.example", "/admin/\\elsewhere", "/administration/", "//admin/"])(
  "a sign-in never leads to %s",
  (path) => {
    expect(isReturnPath(path)).toBe(false);
  },
);
