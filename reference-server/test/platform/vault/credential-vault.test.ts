import { parseEnv } from "node:util";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { loadConfig } from "../../../src/config/config.js";
import { generateSecrets } from "../../../src/commands/generate-secrets.js";
import {
  createCredentialVault,
  CredentialUnreadableError,
} from "../../../src/platform/vault/credential-vault.js";

const vault = createCredentialVault(Buffer.alloc(32, 7));
const row = "identity_providers/1/client_secret";

describe("a sealed credential", () => {
  test("opens for its own row", () => {
    expect(vault.open(vault.seal("s3cret ü", row), row)).toBe("s3cret ü");
  });

  test("looks different every time and never contains the secret", () => {
    const [first, second] = [vault.seal("s3cret", row), vault.seal("s3cret", row)];
    expect(first.equals(second)).toBe(false);
    expect(first.includes("s3cret")).toBe(false);
  });

  const sealed = vault.seal("s3cret", row);
  const flipped = (index: number) => {
    const copy = Buffer.from(sealed);
    copy[index] = (copy[index] ?? 0) ^ 1;
    return copy;
  };
  test.each([
    { name: "for another row", open: () => vault.open(sealed, "identity_providers/2/client_secret") },
    { name: "with another key", open: () => createCredentialVault(Buffer.alloc(32, 8)).open(sealed, row) },
    { name: "with another format byte", open: () => vault.open(flipped(0), row) },
    { name: "with an altered nonce", open: () => vault.open(flipped(1), row) },
    { name: "with an altered tag", open: () => vault.open(flipped(13), row) },
    { name: "with altered text", open: () => vault.open(flipped(29), row) },
    { name: "cut short", open: () => vault.open(sealed.subarray(0, 20), row) },
    { name: "empty", open: () => vault.open(Buffer.alloc(0), row) },
  ])("does not open $name", ({ open }) => {
    expect(open).toThrow(CredentialUnreadableError);
  });
});

test("generated secrets are a usable environment once the two addresses are set", async () => {
  const variables = parseEnv(await generateSecrets("env"));
  const addresses = { POSTGRES_URL: "postgresql://db/authz", AUTHZ_ISSUER: "https://auth.acme.example" };

  const config = loadConfig({ ...variables, ...addresses });

  expect(config.signingKey.kid).toBe(variables.AUTHZ_SIGNING_KID);
  expect(Buffer.from(variables.AUTHZ_CONNECTOR_KEK ?? "", "base64")).toHaveLength(32);
});

test("generated secrets are a Secret of Kubernetes as well, under the same names", async () => {
  const secret = parseYaml(await generateSecrets("kubernetes")) as {
    kind: string;
    stringData: Record<string, string>;
  };
  const addresses = { POSTGRES_URL: "postgresql://db/authz", AUTHZ_ISSUER: "https://auth.acme.example" };

  expect(secret.kind).toBe("Secret");
  const config = loadConfig({ ...secret.stringData, ...addresses });
  expect(config.signingKey.kid).toBe(secret.stringData.AUTHZ_SIGNING_KID);
});
