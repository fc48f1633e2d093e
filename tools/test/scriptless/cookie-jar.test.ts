import { describe, expect, test } from "vitest";
import { CookieJar } from "../../src/scriptless/cookie-jar.js";

const server = new URL("http://127.0.0.1:3000/oauth/consent");
const idp = new URL("http://127.0.0.1:3010/");
const secure = new URL("https://authz.example.com/");

function jarWith(url: URL, ...cookies: string[]): CookieJar {
  const jar = new CookieJar();
  jar.store(url, cookies);
  return jar;
}

describe("CookieJar", () => {
  test("sends a cookie back to the host it came from, on any port", () => {
    const jar = jarWith(server, "session=1; Path=/; HttpOnly");
    expect(jar.header(idp)).toBe("session=1");
    expect(jar.header(secure)).toBe("");
  });

  test.each([
    { name: "Secure", cookie: "a=1; Secure; Path=/" },
    { name: "the prefix __Host-", cookie: "__Host-a=1; Path=/" },
    { name: "the prefix __Secure-", cookie: "__Secure-a=1; Path=/" },
  ])("refuses $name on plain http", ({ cookie }) => {
    expect(jarWith(server, cookie).header(server)).toBe("");
  });

  test("keeps secure cookies on https", () => {
    expect(jarWith(secure, "__Host-a=1; Secure; Path=/").header(secure)).toBe("__Host-a=1");
  });

  test.each([
    { name: "Max-Age=0", cookie: "a=; Path=/; Max-Age=0" },
    { name: "a date in the past", cookie: "a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT" },
  ])("forgets a cookie with $name", ({ cookie }) => {
    const jar = jarWith(server, "a=1; Path=/");
    jar.store(server, [cookie]);
    expect(jar.header(server)).toBe("");
  });

  test("replaces a cookie of the same name and path, and separates paths", () => {
    const jar = jarWith(server, "a=1; Path=/", "a=2; Path=/", "b=3; Path=/oauth", "c=4; Path=/oauth-not");
    expect(jar.header(server)).toBe("a=2; b=3");
    expect(jar.header(idp)).toBe("a=2");
  });
});
