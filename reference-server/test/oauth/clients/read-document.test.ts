import { generateEs256KeyPair, jwkThumbprint } from "@authz/dpop";
import { describe, expect, test } from "vitest";
import { ClientDocumentError } from "../../../src/oauth/clients/metadata-document/document-error.js";
import { readDocument } from "../../../src/oauth/clients/metadata-document/read-document.js";
import { usualDocument } from "../../support/client-publisher.js";

const address = new URL("https://apps.example/app.json");
const usual = usualDocument(address.href);
const { publicJwk, privateJwk } = await generateEs256KeyPair();
const rsa = { kty: "RSA", kid: "r", n: "x".repeat(342), e: "AQAB" };
const confidential = { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [publicJwk] } };

const bytes = (document: object | string) =>
  Buffer.from(typeof document === "string" ? document : JSON.stringify(document));
const read = (change: Record<string, unknown>) => readDocument(bytes({ ...usual, ...change }), address);

function faultOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ClientDocumentError) return error.fault;
    throw error;
  }
  return "taken";
}

test("what programs in use publish becomes a public client with its redirects as they are", () => {
  expect(read({})).toEqual({
    description: {
      name: "Field Notes",
      type: "public",
      redirectUris: ["http://localhost/callback", "http://127.0.0.1/callback"],
      keys: [],
      dpopBound: false,
      grantTypes: ["authorization_code", "refresh_token"],
    },
    jwksUri: undefined,
  });
});

describe("one change of a good document", () => {
  test.each<[name: string, fault: string, change: Record<string, unknown>]>([
    ["none", "taken", {}],
    ["another address", "document_client_id", { client_id: "https://apps.example/other" }],
    ["the address, spelled otherwise", "document_client_id", { client_id: "https://APPS.example/app.json" }],
    ["no client_id", "document_client_id", { client_id: undefined }],
    ["a client_id that is a list", "document_client_id", { client_id: [address.href] }],
    ["a secret", "document_secret", { client_secret: "s3cret" }],
    ["an empty secret", "document_secret", { client_secret: "" }],
    ["when a secret ends", "document_secret", { client_secret_expires_at: 0 }],
    ["a private key", "document_secret", { ...confidential, jwks: { keys: [privateJwk] } }],
    ["a private key beside a method without keys", "document_secret", { jwks: { keys: [privateJwk] } }],
    ["a symmetric key", "document_secret", { ...confidential, jwks: { keys: [{ kty: "oct", k: "AA" }] } }],
    ["a method with a secret", "document_method", { token_endpoint_auth_method: "client_secret_post" }],
    [
      "another method with a secret",
      "document_method",
      { token_endpoint_auth_method: "client_secret_basic" },
    ],
    ["a method that is no text", "document_method", { token_endpoint_auth_method: ["none"] }],
    ["no method", "taken", { token_endpoint_auth_method: undefined }],
    ["keys without a method", "document_method", { ...confidential, token_endpoint_auth_method: undefined }],
    ["a method without keys", "document_keys", { token_endpoint_auth_method: "private_key_jwt" }],
    ["no key in the set", "document_keys", { ...confidential, jwks: { keys: [] } }],
    ["only keys of another kind", "document_keys", { ...confidential, jwks: { keys: [rsa] } }],
    [
      "a key off the curve",
      "document_keys",
      { ...confidential, jwks: { keys: [{ ...publicJwk, x: publicJwk.y }] } },
    ],
    ["a set that is none", "document_keys", { ...confidential, jwks: [publicJwk] }],
    ["keys of another kind that are not needed", "taken", { jwks: { keys: [rsa] } }],
    ["keys", "taken", confidential],
    ["no name", "taken", { client_name: undefined }],
    ["an empty name", "document_name", { client_name: " " }],
    ["a name that is no text", "document_name", { client_name: { en: "Notes" } }],
    ["a long name", "document_name", { client_name: "n".repeat(101) }],
    ["a name with markup", "document_name", { client_name: "<script>alert(1)</script>" }],
    ["a name with a line break", "document_name", { client_name: "Notes\nallow" }],
    ["a name with NUL", "document_name", { client_name: "Notes\0" }],
    ["a name that turns around", "document_name", { client_name: "Notes \u202Egnp.exe" }],
    ["a name with an isolate", "document_name", { client_name: "\u2066Notes" }],
    ["a name with nothing between letters", "document_name", { client_name: "No\u200Btes" }],
    ["a name with a letter that is blank", "document_name", { client_name: "\u3164" }],
    ["a name of nothing but what makes an emoji", "document_name", { client_name: "\uFE0F" }],
    ["a name with an emoji", "taken", { client_name: "Notes ❤️" }],
    ["a name with a line separator", "document_name", { client_name: "No\u2028tes" }],
    ["a name in another script", "taken", { client_name: "ノート 📝" }],
    ["no redirect", "document_redirect_uris", { redirect_uris: undefined }],
    ["an empty list of redirects", "document_redirect_uris", { redirect_uris: [] }],
    ["a redirect that is no text", "document_redirect_uris", { redirect_uris: [7] }],
    ["redirects that are no list", "document_redirect_uris", { redirect_uris: "http://localhost/callback" }],
    [
      "too many redirects",
      "document_redirect_uris",
      { redirect_uris: Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`) },
    ],
    [
      "only plain http elsewhere",
      "document_redirect_uris",
      { redirect_uris: ["http://evil.example/callback"] },
    ],
    ["only a script", "document_redirect_uris", { redirect_uris: ["javascript:alert(1)"] }],
    [
      "only a scheme of its own",
      "document_redirect_uris",
      { redirect_uris: ["com.example.notes:/callback"] },
    ],
    [
      "only localhost, with keys",
      "document_redirect_uris",
      { ...confidential, redirect_uris: ["http://localhost/callback"] },
    ],
    ["a redirect at another host", "taken", { redirect_uris: ["https://web.example/callback"] }],
    ["the implicit flow", "document_flow", { grant_types: ["implicit"], response_types: ["token"] }],
    ["no grant type at all", "document_flow", { grant_types: [] }],
    ["only refreshing", "document_flow", { grant_types: ["refresh_token"] }],
    ["grant types that are no list", "document_flow", { grant_types: "authorization_code" }],
    ["another response type", "document_flow", { response_types: ["id_token"] }],
    ["no word about flows", "taken", { grant_types: undefined, response_types: undefined }],
    [
      "only assertions, and no redirect",
      "taken",
      { grant_types: ["urn:ietf:params:oauth:grant-type:jwt-bearer"], redirect_uris: undefined },
    ],
    [
      "members that mean nothing here",
      "taken",
      { tos_uri: 7, contacts: null, logo_uri: "javascript:alert(1)" },
    ],
  ])("%s: %s", (_name, fault, change) => {
    expect(faultOf(() => read(change))).toBe(fault);
  });
});

test.each([
  { name: "no JSON", text: "{" },
  { name: "a list", text: "[]" },
  { name: "a member twice", text: `{"client_id":"https://evil.example/a","client_id":"${address.href}"}` },
  { name: "a byte order mark", text: `\uFEFF${JSON.stringify(usual)}` },
  { name: "a page", text: "<!doctype html>" },
  { name: "nothing", text: "" },
])("a document that is $name is malformed", ({ text }) => {
  expect(faultOf(() => readDocument(bytes(text), address))).toBe("document_malformed");
});

test("bytes that are no UTF-8 are malformed", () => {
  expect(faultOf(() => readDocument(Buffer.from([0x7b, 0xff, 0x7d]), address))).toBe("document_malformed");
});

test("redirects that cannot be are left out, and the others stay", () => {
  const listed = [
    "cursor://callback",
    "http://evil.example/cb",
    "https://web.example/callback",
    "https://*.example/cb",
    "http://localhost/callback",
  ];
  expect(read({ redirect_uris: [...listed, "http://localhost/callback"] }).description.redirectUris).toEqual([
    "https://web.example/callback",
    "http://localhost/callback",
  ]);
});

test("keys that cannot be used are left out; one without an id is called by its thumbprint", () => {
  const keys = [rsa, "nothing", { ...publicJwk, use: "enc" }, publicJwk, { ...publicJwk, kid: "named" }];
  const { description } = read({
    ...confidential,
    redirect_uris: ["https://web.example/cb"],
    jwks: { keys },
  });
  expect(description).toMatchObject({ type: "confidential", redirectUris: ["https://web.example/cb"] });
  expect(description.keys.map(({ kid }) => kid)).toEqual([jwkThumbprint(publicJwk), "named"]);
});

test("keys elsewhere are named, a wish for bound tokens is kept, and a client without a name is called by its host", () => {
  const elsewhere = { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://apps.example/jwks" };
  const redirects = { redirect_uris: ["https://web.example/cb"], client_name: undefined };
  expect(read({ ...elsewhere, ...redirects, dpop_bound_access_tokens: true })).toMatchObject({
    description: { name: "apps.example", keys: [], dpopBound: true },
    jwksUri: "https://apps.example/jwks",
  });
});
