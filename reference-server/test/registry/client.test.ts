import { generateEs256KeyPair } from "@authz/dpop";
import { beforeAll, describe, expect, test } from "vitest";
import { machineClientSchema, registeredClientSchema } from "../../src/registry/client.js";
import { registeredClient } from "../../src/store/clients.js";

type Members = Readonly<Record<string, unknown>>;
let key: Members;
let privateKey: Members;
beforeAll(async () => {
  const { publicJwk, privateJwk } = await generateEs256KeyPair();
  key = { kid: "first", ...publicJwk };
  privateKey = { kid: "first", ...privateJwk };
});

const portal = (change: Members = {}): Members => ({
  id: "acme-portal",
  name: "Acme portal",
  type: "confidential",
  redirectUris: ["https://portal.acme.example/callback"],
  keys: [key],
  ...change,
});
const machine = (change: Members = {}): Members => ({
  id: "nightly-export",
  name: "Nightly export",
  keys: [key],
  scopes: ["contracts:write", "contracts:read", "contracts:read"],
  ...change,
});

describe("a client of people", () => {
  test("is bound to DPoP, enabled and never built in unless it says otherwise", () => {
    expect(registeredClientSchema.parse(portal({ keys: [{ ...key, use: "sig", alg: "ES256" }] }))).toEqual({
      client: {
        ...registeredClient,
        ...portal(),
        keys: [{ kid: "first", publicJwk: { kty: "EC", crv: "P-256", x: key["x"], y: key["y"] } }],
        dpopBound: true,
        enabled: true,
        builtIn: false,
      },
      machineScopes: [],
    });
  });

  const refusals: readonly { name: string; change: () => Members; path: string }[] = [
    { name: "an id with capitals", change: () => ({ id: "Portal" }), path: "id" },
    {
      name: "an id that looks like a person's",
      change: () => ({ id: "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60" }),
      path: "id",
    },
    { name: "no name", change: () => ({ name: " " }), path: "name" },
    { name: "another type", change: () => ({ type: "machine" }), path: "type" },
    { name: "no key although confidential", change: () => ({ keys: [] }), path: "keys" },
    { name: "a key although public", change: () => ({ type: "public" }), path: "keys" },
    { name: "a private key", change: () => ({ keys: [privateKey] }), path: "keys.0" },
    {
      name: "a key without an id",
      change: () => ({ keys: [{ ...key, kid: undefined }] }),
      path: "keys.0.kid",
    },
    {
      name: "an RSA key",
      change: () => ({ keys: [{ kid: "r", kty: "RSA", n: "x", e: "AQAB" }] }),
      path: "keys.0",
    },
    { name: "a key off the curve", change: () => ({ keys: [{ ...key, y: key["x"] }] }), path: "keys.0" },
    { name: "a key for encryption", change: () => ({ keys: [{ ...key, use: "enc" }] }), path: "keys.0" },
    { name: "the same key id twice", change: () => ({ keys: [key, key] }), path: "keys.1.kid" },
    { name: "nine keys", change: () => ({ keys: Array.from({ length: 9 }, () => key) }), path: "keys" },
    {
      name: "a redirect URI that cannot be",
      change: () => ({ redirectUris: ["http://portal.acme.example/"] }),
      path: "redirectUris.0",
    },
    { name: "a secret", change: () => ({ clientSecret: "s" }), path: "" },
  ];
  test.each(refusals)("is refused with $name", ({ change, path }) => {
    const result = registeredClientSchema.safeParse(portal(change()));
    expect(result.error?.issues.map((issue) => issue.path.join("."))).toContain(path);
  });
});

describe("a machine client", () => {
  test("has its scopes in order and once, and is always bound to a key", () => {
    expect(machineClientSchema.parse(machine())).toMatchObject({
      client: { type: "machine", redirectUris: [], dpopBound: true },
      machineScopes: ["contracts:read", "contracts:write"],
    });
  });

  test.each([
    { name: "no key", change: { keys: [] } },
    { name: "a redirect URI", change: { redirectUris: [] } },
    { name: "a way around DPoP", change: { dpopBound: false } },
  ])("is refused with $name", ({ change }) => {
    expect(machineClientSchema.safeParse(machine(change)).success).toBe(false);
  });
});
