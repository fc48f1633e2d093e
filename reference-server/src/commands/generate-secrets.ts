import { randomBytes, randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";

/** The output: an `.env` file for the whole server, or the Kubernetes Secret that the Helm chart reads. */
export const secretFormats = ["env", "kubernetes"] as const;
export type SecretFormat = (typeof secretFormats)[number];

/**
 * Writes every secret of the server, each fresh and in its exact format.
 *
 * Keep the result: a second set makes stored credentials unreadable and issued assertions invalid.
 */
export async function generateSecrets(format: SecretFormat): Promise<string> {
  const { privateJwk, publicJwk } = await generateEs256KeyPair();
  const secret = (encoding: "base64" | "base64url") => randomBytes(32).toString(encoding);
  const secrets = {
    AUTH_SESSION_SECRET: secret("base64url"),
    AUTHZ_SETUP_TOKEN: secret("base64url"),
    AUTHZ_CREDENTIAL_ENCRYPTION_KEY: secret("base64"),
    AUTHZ_CONNECTOR_KEK: secret("base64"),
    AUTHZ_SIGNING_KID: randomUUID(),
    AUTHZ_SIGNING_PRIVATE_JWK: JSON.stringify(privateJwk),
    AUTHZ_SIGNING_PUBLIC_JWK: JSON.stringify(publicJwk),
  };
  return format === "env" ? envFile(secrets) : kubernetesSecret(secrets);
}

function envFile(secrets: Readonly<Record<string, string>>): string {
  const lines = Object.entries(secrets).map(([name, value]) => {
    return `${name}=${value.startsWith("{") ? `'${value}'` : value}\n`;
  });
  return `# Set these two. The database user must own the database; the issuer is the public HTTPS address.
POSTGRES_URL=
AUTHZ_ISSUER=

# Generated once. Keep them as long as the installation exists.
${lines.join("")}`;
}

/** A JSON string is a YAML string as well. */
function kubernetesSecret(secrets: Readonly<Record<string, string>>): string {
  const lines = Object.entries(secrets).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  return `# Generated once. Keep it as long as the installation exists: kubectl create --filename FILE
apiVersion: v1
kind: Secret
metadata:
  name: authz-secrets
stringData:
${lines.join("")}`;
}
