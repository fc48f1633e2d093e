import { expect, test } from "vitest";
import { type BrowserCookies, type CookieWriter, createBrowserCookies } from "../../src/sign-in/browser.js";

function write(
  https: boolean,
  work: (cookies: BrowserCookies, reply: CookieWriter) => void = (cookies, reply) =>
    cookies.writeSession(reply, "token"),
) {
  const written: [string, object][] = [];
  const store = { browserSessions: { findLive: async () => undefined } };
  const cookies = createBrowserCookies({ https, store, now: () => new Date() });
  const reply = {
    setCookie: (name: string, _value: string, options: object) => written.push([name, options]),
    clearCookie: () => undefined,
    signCookie: (value: string) => `${value}.signature`,
  };
  work(cookies, reply);
  return written;
}

test("over https the session cookie has the __Host- name and is Secure, HttpOnly and Lax", () => {
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: true };
  expect(write(true)).toStrictEqual([["__Host-authz-session", { ...attributes, maxAge: 8 * 3600 }]]);
});

test("the draft of a set-up is kept as strictly, for as long as it lasts", () => {
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: true };
  const written = write(true, (cookies, reply) => cookies.writeSetUp(reply, "sealed", 1800.7));
  expect(written).toStrictEqual([["__Host-authz-setup", { ...attributes, maxAge: 1800 }]]);
});

test("over plain http on loopback it has its own name, because browsers drop __Host- there", () => {
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: false };
  expect(write(false)).toStrictEqual([["authz-session", { ...attributes, maxAge: 8 * 3600 }]]);
});
