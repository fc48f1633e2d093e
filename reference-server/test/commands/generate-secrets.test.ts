import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { loadConfig } from "../../src/config/config.js";
import { generateSecrets } from "../../src/commands/generate-secrets.js";

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
