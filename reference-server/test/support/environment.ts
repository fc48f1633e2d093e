import { generateKeyPairSync } from "node:crypto";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const { kty, crv, x, y, d } = privateKey.export({ format: "jwk" });

/** A complete environment for development on loopback. Each test changes what it is about. */
export function testEnvironment(
  changes: Readonly<Record<string, string | undefined>> = {},
): Record<string, string | undefined> {
  return {
    POSTGRES_URL: "postgresql://authz:authz@127.0.0.1:5432/authz",
    AUTHZ_ISSUER: "http://127.0.0.1:3000",
    AUTHZ_ALLOW_INSECURE_LOOPBACK: "true",
    AUTHZ_HOST: "127.0.0.1",
    AUTHZ_PORT: "0",
    AUTH_SESSION_SECRET: Buffer.alloc(32, 1).toString("base64url"),
    AUTHZ_SETUP_TOKEN: Buffer.alloc(32, 2).toString("base64url"),
    AUTHZ_CREDENTIAL_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString("base64"),
    AUTHZ_CONNECTOR_KEK: Buffer.alloc(32, 4).toString("base64"),
    AUTHZ_SIGNING_PRIVATE_JWK: JSON.stringify({ kty, crv, x, y, d }),
    AUTHZ_SIGNING_PUBLIC_JWK: JSON.stringify({ kty, crv, x, y }),
    AUTHZ_SIGNING_KID: "0b2f1c3e-54a6-4c8e-9a53-6d7f8e9a0b1c",
    LOG_LEVEL: "info",
    ...changes,
  };
}
