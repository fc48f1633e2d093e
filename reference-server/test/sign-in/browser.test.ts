import { expect, test } from "vitest";
import { attemptSecrets, csrfToken, isCsrfToken, isOwnForm } from "../../src/sign-in/browser.js";

const secret = Buffer.alloc(32, 7);

test("nonce and code verifier of an attempt follow from browser and state, and from nothing the database holds", () => {
  const one = attemptSecrets("browser", "state");
  expect(attemptSecrets("browser", "state")).toStrictEqual(one);
  expect(one.nonce).not.toBe(one.codeVerifier);
  expect(attemptSecrets("other", "state").nonce).not.toBe(one.nonce);
  expect(attemptSecrets("browser", "other").codeVerifier).not.toBe(one.codeVerifier);
  expect(one.codeVerifier).toMatch(/^[\w-]{43}$/);
});

test("a form's token belongs to one session and one form", () => {
  const token = csrfToken(secret, { id: "session" }, "form");
  expect(isCsrfToken(token, csrfToken(secret, { id: "session" }, "form"))).toBe(true);
  expect(isCsrfToken(token, csrfToken(secret, { id: "other" }, "form"))).toBe(false);
  expect(isCsrfToken(token, csrfToken(secret, { id: "session" }, "other"))).toBe(false);
  expect(isCsrfToken(token, csrfToken(Buffer.alloc(32), { id: "session" }, "form"))).toBe(false);
  expect(isCsrfToken(undefined, token)).toBe(false);
});

test.each([
  { headers: {}, own: true },
  { headers: { origin: "https://auth.example" }, own: true },
  { headers: { origin: "https://auth.example", "sec-fetch-site": "same-origin" }, own: true },
  { headers: { origin: "null", "sec-fetch-site": "same-origin" }, own: true },
  { headers: { origin: "null" }, own: false },
  { headers: { origin: "https://auth.example:8443" }, own: false },
  { headers: { origin: "http://auth.example" }, own: false },
  { headers: { origin: "https://auth.example", "sec-fetch-site": "cross-site" }, own: false },
  { headers: { "sec-fetch-site": "same-site" }, own: false },
  { headers: { "sec-fetch-site": "none" }, own: false },
])("a post with $headers is from an own page: $own", ({ headers, own }) => {
  expect(isOwnForm(headers, "https://auth.example")).toBe(own);
});
