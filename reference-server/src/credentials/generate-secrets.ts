import { randomBytes, randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";

/**
 * Writes every variable of the server in dotenv form, each secret fresh and in its exact format.
 *
 * Keep the result: a second set makes stored credentials unreadable and issued assertions invalid.
 */
export async function generateSecrets(): Promise<string> {
  const { privateJwk, publicJwk } = await generateEs256KeyPair();
  const secret = (encoding: "base64" | "base64url") => randomBytes(32).toString(encoding);
  return `# Set these two. The database user must own the database; the issuer is the public HTTPS address.
POSTGRES_URL=
AUTHZ_ISSUER=

# Generated once. Keep them as long as the installation exists.
AUTH_SESSION_SECRET=${secret("base64url")}
AUTHZ_SETUP_TOKEN=${secret("base64url")}
AUTHZ_CREDENTIAL_ENCRYPTION_KEY=${secret("base64")}
AUTHZ_CONNECTOR_KEK=${secret("base64")}
AUTHZ_SIGNING_KID=${randomUUID()}
AUTHZ_SIGNING_PRIVATE_JWK='${JSON.stringify(privateJwk)}'
AUTHZ_SIGNING_PUBLIC_JWK='${JSON.stringify(publicJwk)}'
`;
}
