import { describe, expect, test } from "vitest";
import { documentAddress } from "../../../src/oauth/clients/metadata-document/read-document.js";

describe("an address can be that of a metadata document", () => {
  test.each([
    { id: "https://claude.ai/oauth/claude-code-client-metadata", host: "claude.ai" },
    { id: "https://apps.example/", host: undefined },
    { id: "https://apps.example", host: undefined },
    { id: "https://apps.example/a.json?version=2", host: "apps.example" },
    { id: "https://apps.example:8443/a.json", host: "apps.example:8443" },
    { id: "https://apps.example:443/a.json", host: undefined },
    { id: "https://xn--pple-43d.example/a.json", host: "xn--pple-43d.example" },
    { id: "https://аpple.example/a.json", host: undefined },
    { id: "https://APPS.example/a.json", host: undefined },
    { id: "HTTPS://apps.example/a.json", host: undefined },
    { id: "https://apps.example./a.json", host: undefined },
    { id: "https://apps.example/a/../b.json", host: undefined },
    { id: "https://apps.example/./b.json", host: undefined },
    { id: "https://apps.example/%2e%2e/b.json", host: undefined },
    { id: "https://apps.example/a.json#key", host: undefined },
    { id: "https://apps.example/a.json#", host: undefined },
    { id: "https://ada@apps.example/a.json", host: undefined },
    { id: "https://ada:secret@apps.example/a.json", host: undefined },
    { id: String.raw`https://apps.example\a.json`, host: undefined },
    { id: "https://apps.example/a b.json", host: undefined },
    { id: "https://apps.example/a.json\n", host: undefined },
    { id: "https:/apps.example/a.json", host: undefined },
    { id: "https://0x7f.1/a.json", host: undefined },
    { id: "http://apps.example/a.json", host: undefined },
    { id: "ftp://apps.example/a.json", host: undefined },
    { id: "javascript:alert(1)", host: undefined },
    { id: "urn:example:app", host: undefined },
    { id: `https://apps.example/${"a".repeat(2027)}`, host: "apps.example" },
    { id: `https://apps.example/${"a".repeat(2028)}`, host: undefined },
  ])("$id: $host", ({ id, host }) => {
    const address = documentAddress(id, { allowInsecureLoopback: false });
    expect(address?.host).toBe(host);
  });

  test.each([
    { id: "http://127.0.0.1:8080/a.json", good: true },
    { id: "http://localhost:8080/a.json", good: true },
    { id: "http://[::1]:8080/a.json", good: true },
    { id: "http://apps.example/a.json", good: false },
    { id: "http://127.0.0.1.apps.example/a.json", good: false },
  ])("in development, $id: $good", ({ id, good }) => {
    expect(documentAddress(id, { allowInsecureLoopback: true }) !== undefined).toBe(good);
    expect(documentAddress(id, { allowInsecureLoopback: false })).toBeUndefined();
  });
});
