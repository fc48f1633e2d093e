import { describe, expect, test } from "vitest";
import { newClientSchema } from "../../../src/admin/clients/schemas.js";
import { toFieldFaults } from "../../../src/admin/http/field-faults.js";
import { createIdentityProviderInputs } from "../../../src/admin/identity-providers/schemas.js";
import { adminTexts } from "../../../src/admin/texts/texts.js";
import { en } from "../../src/messages/en/parts";
import { fieldMessage } from "../../src/parts/field-words";

const { create: provider } = createIdentityProviderInputs({ allowInsecureLoopback: false });
const client = { type: "public", id: "app", name: "App", redirectUris: ["https://app.example/callback"] };
const acme = { key: "acme", name: "Acme", issuer: "https://idp.example", clientId: "a", scopes: ["openid"] };

function words(issues: Parameters<typeof toFieldFaults>[0]): string[] {
  return toFieldFaults(issues).map(({ message }) => fieldMessage(message(adminTexts("en")), en.fields));
}

describe("what the server says about clients", () => {
  test.each([
    { name: "an id with capitals", change: { id: "App" }, text: en.fields.clientId },
    {
      name: "a UUID",
      change: { id: "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60" },
      text: en.fields.uuid,
    },
    { name: "no key", change: { type: "confidential" }, text: en.fields.needsKey },
    {
      name: "a point beside the curve",
      change: { type: "confidential", keys: [{ kid: "one", kty: "EC", crv: "P-256", x: "AA", y: "AA" }] },
      text: en.fields.publicKey,
    },
    { name: "a path", change: { redirectUris: ["/callback"] }, text: en.fields.absoluteUri },
    { name: "a fragment", change: { redirectUris: ["https://a.example/#b"] }, text: en.fields.plainUri },
    { name: "a wildcard", change: { redirectUris: ["https://*.example/"] }, text: en.fields.plainUri },
    { name: "http", change: { redirectUris: ["http://a.example/"] }, text: en.fields.redirectUri },
    { name: "localhost", change: { redirectUris: ["http://localhost/"] }, text: en.fields.redirectUri },
    { name: "a short scheme", change: { redirectUris: ["app:/callback"] }, text: en.fields.redirectUri },
  ])("$name", ({ change, text }) => {
    expect(words(newClientSchema.safeParse({ ...client, ...change }).error?.issues ?? [])).toEqual([text]);
  });
});

describe("what the server says about sign-in providers", () => {
  test.each([
    { name: "no secret", change: {}, text: en.fields.needsSecret },
    {
      name: "another document",
      change: { clientSecret: "s", discoveryUrl: "https://idp.example/metadata" },
      text: en.fields.metadataUrl,
    },
  ])("$name", ({ change, text }) => {
    expect(words(provider.safeParse({ ...acme, ...change }).error?.issues ?? [])).toEqual([text]);
  });
});
