import { describe, expect, test } from "vitest";
import { redirectHosts, redirectUriFault } from "../../src/protocol/redirect-uri.js";

describe("a redirect URI can be registered", () => {
  test.each([
    "https://portal.acme.example/callback",
    "https://portal.acme.example/callback?tenant=7",
    "https://portal.acme.example",
    "https://portal.acme.example:443/callback",
    "https://portal.acme.example:8443/callback",
    "https://xn--bcher-kva.example/callback",
    "http://127.0.0.1/callback",
    "http://127.0.0.1:8400/callback",
    "http://[::1]/callback",
    "http://localhost/callback",
    "http://localhost:8400/callback",
    "com.acme.app:/callback",
  ])("%s", (uri) => {
    expect(redirectUriFault(uri, "public")).toBeUndefined();
  });
});

describe("a redirect URI cannot be registered", () => {
  test.each([
    { uri: "http://portal.acme.example/callback", code: "httpsOrLoopback" },
    { uri: "http://localhost.acme.example/callback", code: "httpsOrLoopback" },
    { uri: "http://127.0.0.2/callback", code: "httpsOrLoopback" },
    { uri: "https://*.acme.example/callback", code: "noWildcard" },
    { uri: "https://portal.acme.example/callback#", code: "noFragment" },
    { uri: "https://user:password@portal.acme.example/", code: "noCredentials" },
    { uri: "/callback", code: "absoluteUri" },
    { uri: String.raw`http://127.0.0.1\@evil.example/callback`, code: "absoluteUri" },
    { uri: "https://portal.acme.example/a b", code: "absoluteUri" },
    { uri: "https:evil.example/callback", code: "hostSpelling" },
    { uri: "https:/evil.example/callback", code: "hostSpelling" },
    { uri: "https:///evil.example/callback", code: "hostSpelling" },
    { uri: "HTTPS://portal.acme.example/callback", code: "hostSpelling" },
    { uri: "https://Portal.acme.example/callback", code: "hostSpelling" },
    { uri: "https://%65vil.example/callback", code: "hostSpelling" },
    { uri: "https://portal.acme.example:0443/callback", code: "hostSpelling" },
    { uri: "https://portal.acme.example:/callback", code: "hostSpelling" },
    { uri: "http:127.0.0.1/callback", code: "hostSpelling" },
    { uri: "http://127.1/callback", code: "hostSpelling" },
    { uri: "http://2130706433/callback", code: "hostSpelling" },
    { uri: "http://0177.0.0.1/callback", code: "hostSpelling" },
    { uri: "http://0x7f.0.0.1:8400/callback", code: "hostSpelling" },
    { uri: "http://127.0.0.1./callback", code: "hostSpelling" },
    { uri: "http://[0:0:0:0:0:0:0:1]/callback", code: "hostSpelling" },
    { uri: "http://LOCALHOST/callback", code: "hostSpelling" },
    { uri: "app:/callback", code: "schemeName" },
    { uri: "javascript:alert(1)", code: "schemeName" },
    { uri: "data:text/html,x", code: "schemeName" },
  ])("$uri: $code", ({ uri, code }) => {
    expect(redirectUriFault(uri, "public")).toBe(code);
  });

  test("at localhost for a client that can keep a secret", () => {
    expect(redirectUriFault("http://localhost/callback", "confidential")).toBe("localhostIsPublic");
    expect(redirectUriFault("http://127.0.0.1/callback", "confidential")).toBeUndefined();
  });

  test("with a scheme of its own for a client that can keep a secret", () => {
    expect(redirectUriFault("com.acme.app:/callback", "confidential")).toBe("schemeIsPublic");
  });
});

test.each([
  { uri: "https://portal.acme.example/callback", host: "portal.acme.example" },
  { uri: "https://portal.acme.example:443/callback", host: "portal.acme.example" },
  { uri: "https://portal.acme.example:8443/callback", host: "portal.acme.example:8443" },
  { uri: "https:evil.example/callback", host: "evil.example" },
  { uri: "https:/evil.example/callback", host: "evil.example" },
  { uri: "http://evil.example/callback", host: "evil.example" },
  { uri: "com.acme.app:/callback", host: "" },
])("the answer at $uri goes to the host '$host'", ({ uri, host }) => {
  const here = ["http://127.0.0.1:8400/callback", "http://[::1]", "http://localhost?x"];
  expect(redirectHosts([...here, uri, uri])).toEqual([host]);
});
