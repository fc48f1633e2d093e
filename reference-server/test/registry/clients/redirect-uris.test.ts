import { describe, expect, test } from "vitest";
import { redirectUriFault } from "../../../src/registry/clients/redirect-uris.js";

describe("a redirect URI can be registered", () => {
  test.each([
    "https://portal.acme.example/callback",
    "https://portal.acme.example/callback?tenant=7",
    "http://127.0.0.1/callback",
    "http://127.0.0.1:8400/callback",
    "http://[::1]/callback",
    "com.acme.app:/callback",
  ])("%s", (uri) => {
    expect(redirectUriFault(uri, "public")).toBeUndefined();
  });
});

describe("a redirect URI cannot be registered", () => {
  test.each([
    { uri: "http://portal.acme.example/callback", words: "https:" },
    { uri: "http://localhost/callback", words: "never localhost" },
    { uri: "http://127.0.0.2/callback", words: "127.0.0.1" },
    { uri: "https://*.acme.example/callback", words: "wildcard" },
    { uri: "https://portal.acme.example/callback#", words: "fragment" },
    { uri: "https://user:password@portal.acme.example/", words: "credentials" },
    { uri: "/callback", words: "absolute" },
    { uri: "https://portal.acme.example/a b", words: "absolute" },
    { uri: "app:/callback", words: "reversed domain name" },
    { uri: "javascript:alert(1)", words: "reversed domain name" },
    { uri: "data:text/html,x", words: "reversed domain name" },
  ])("$uri: $words", ({ uri, words }) => {
    expect(redirectUriFault(uri, "public")).toContain(words);
  });

  test("with a scheme of its own for a client that can keep a secret", () => {
    expect(redirectUriFault("com.acme.app:/callback", "confidential")).toContain("https:");
  });
});
