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
  test.each<{ name: string; change: Record<string, unknown>; fault: string }>([
    { name: "none", change: {}, fault: "taken" },
    {
      name: "another address",
      change: { client_id: "https://apps.example/other" },
      fault: "document_client_id",
    },
    {
      name: "the address, spelled otherwise",
      change: { client_id: "https://APPS.example/app.json" },
      fault: "document_client_id",
    },
    { name: "no client_id", change: { client_id: undefined }, fault: "document_client_id" },
    {
      name: "a client_id that is a list",
      change: { client_id: [address.href] },
      fault: "document_client_id",
    },
    { name: "a secret", change: { client_secret: "s3cret" }, fault: "document_secret" },
    { name: "an empty secret", change: { client_secret: "" }, fault: "document_secret" },
    { name: "when a secret ends", change: { client_secret_expires_at: 0 }, fault: "document_secret" },
    {
      name: "a private key",
      change: { ...confidential, jwks: { keys: [privateJwk] } },
      fault: "document_secret",
    },
    {
      name: "a private key beside a method without keys",
      change: { jwks: { keys: [privateJwk] } },
      fault: "document_secret",
    },
    {
      name: "a symmetric key",
      change: { ...confidential, jwks: { keys: [{ kty: "oct", k: "AA" }] } },
      fault: "document_secret",
    },
    {
      name: "a method with a secret",
      change: { token_endpoint_auth_method: "client_secret_post" },
      fault: "document_method",
    },
    {
      name: "another method with a secret",
      change: { token_endpoint_auth_method: "client_secret_basic" },
      fault: "document_method",
    },
    {
      name: "a method that is no text",
      change: { token_endpoint_auth_method: ["none"] },
      fault: "document_method",
    },
    { name: "no method", change: { token_endpoint_auth_method: undefined }, fault: "taken" },
    {
      name: "keys without a method",
      change: { ...confidential, token_endpoint_auth_method: undefined },
      fault: "document_method",
    },
    {
      name: "a method without keys",
      change: { token_endpoint_auth_method: "private_key_jwt" },
      fault: "document_keys",
    },
    { name: "no key in the set", change: { ...confidential, jwks: { keys: [] } }, fault: "document_keys" },
    {
      name: "only keys of another kind",
      change: { ...confidential, jwks: { keys: [rsa] } },
      fault: "document_keys",
    },
    {
      name: "a key off the curve",
      change: { ...confidential, jwks: { keys: [{ ...publicJwk, x: publicJwk.y }] } },
      fault: "document_keys",
    },
    { name: "a set that is none", change: { ...confidential, jwks: [publicJwk] }, fault: "document_keys" },
    { name: "keys of another kind that nobody needs", change: { jwks: { keys: [rsa] } }, fault: "taken" },
    { name: "keys", change: confidential, fault: "taken" },
    { name: "no name", change: { client_name: undefined }, fault: "taken" },
    { name: "an empty name", change: { client_name: " " }, fault: "document_name" },
    { name: "a name that is no text", change: { client_name: { en: "Notes" } }, fault: "document_name" },
    { name: "a long name", change: { client_name: "n".repeat(101) }, fault: "document_name" },
    {
      name: "a name with markup",
      change: { client_name: "<script>alert(1)</script>" },
      fault: "document_name",
    },
    { name: "a name with a line break", change: { client_name: "Notes\nallow" }, fault: "document_name" },
    { name: "a name with NUL", change: { client_name: "Notes\0" }, fault: "document_name" },
    {
      name: "a name that turns around",
      change: { client_name: "Notes \u202Egnp.exe" },
      fault: "document_name",
    },
    { name: "a name with an isolate", change: { client_name: "\u2066Notes" }, fault: "document_name" },
    {
      name: "a name with nothing between letters",
      change: { client_name: "No\u200Btes" },
      fault: "document_name",
    },
    { name: "a name with a letter that is blank", change: { client_name: "\u3164" }, fault: "document_name" },
    {
      name: "a name of nothing but what makes an emoji",
      change: { client_name: "\uFE0F" },
      fault: "document_name",
    },
    { name: "a name with an emoji", change: { client_name: "Notes ❤️" }, fault: "taken" },
    { name: "a name with a line separator", change: { client_name: "No\u2028tes" }, fault: "document_name" },
    { name: "a name in another script", change: { client_name: "ノート 📝" }, fault: "taken" },
    { name: "no redirect", change: { redirect_uris: undefined }, fault: "document_redirect_uris" },
    { name: "an empty list of redirects", change: { redirect_uris: [] }, fault: "document_redirect_uris" },
    { name: "a redirect that is no text", change: { redirect_uris: [7] }, fault: "document_redirect_uris" },
    {
      name: "redirects that are no list",
      change: { redirect_uris: "http://localhost/callback" },
      fault: "document_redirect_uris",
    },
    {
      name: "more redirects than anybody needs",
      change: { redirect_uris: Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`) },
      fault: "document_redirect_uris",
    },
    {
      name: "only plain http elsewhere",
      change: { redirect_uris: ["http://evil.example/callback"] },
      fault: "document_redirect_uris",
    },
    {
      name: "only a script",
      change: { redirect_uris: ["javascript:alert(1)"] },
      fault: "document_redirect_uris",
    },
    {
      name: "only a scheme of its own",
      change: { redirect_uris: ["com.example.notes:/callback"] },
      fault: "document_redirect_uris",
    },
    {
      name: "only localhost, with keys",
      change: { ...confidential, redirect_uris: ["http://localhost/callback"] },
      fault: "document_redirect_uris",
    },
    {
      name: "a redirect at another host",
      change: { redirect_uris: ["https://web.example/callback"] },
      fault: "taken",
    },
    {
      name: "the implicit flow",
      change: { grant_types: ["implicit"], response_types: ["token"] },
      fault: "document_flow",
    },
    { name: "no grant type at all", change: { grant_types: [] }, fault: "document_flow" },
    { name: "only refreshing", change: { grant_types: ["refresh_token"] }, fault: "document_flow" },
    {
      name: "grant types that are no list",
      change: { grant_types: "authorization_code" },
      fault: "document_flow",
    },
    { name: "another response type", change: { response_types: ["id_token"] }, fault: "document_flow" },
    {
      name: "no word about flows",
      change: { grant_types: undefined, response_types: undefined },
      fault: "taken",
    },
    {
      name: "only assertions, and no redirect",
      change: { grant_types: ["urn:ietf:params:oauth:grant-type:jwt-bearer"], redirect_uris: undefined },
      fault: "taken",
    },
    {
      name: "members that mean nothing here",
      change: { tos_uri: 7, contacts: null, logo_uri: "javascript:alert(1)" },
      fault: "taken",
    },
  ])("$name: $fault", ({ change, fault }) => {
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
