import { createHash, randomBytes, randomUUID } from "node:crypto";
import { allScopes, redirectUri } from "../support/device.js";
import type { RawDevice } from "../support/raw-device.js";
import { type ObservedDatabase, seededEmail } from "./installation.js";

/**
 * Writes what sign-in and consent would have written: unused codes for a device. They live for an hour, so that a test
 * may take its time.
 */
export async function seedCodes(
  database: ObservedDatabase,
  device: RawDevice,
  count: number,
): Promise<readonly string[]> {
  await database.query(
    `INSERT INTO users (id, email, name) VALUES ($1, $2, 'Seeded') ON CONFLICT (email) DO NOTHING`,
    [randomUUID(), seededEmail],
  );
  const codes = Array.from({ length: count }, () => randomBytes(32).toString("base64url"));
  const challenge = createHash("sha256").update(device.codeVerifier).digest("base64url");
  await database.query(
    `INSERT INTO authorization_codes (hash, client_id, user_id, redirect_uri, scopes, code_challenge, dpop_jkt,
       auth_time, amr, created_at, expires_at)
     SELECT hash, 'authz-cli', u.id, $3, $4, $5, $6, now(), '{}', now(), now() + interval '1 hour'
     FROM unnest($1::bytea[]) AS given (hash), users u WHERE u.email = $2`,
    [codes.map(hash), seededEmail, redirectUri, allScopes.split(" "), challenge, device.signer.thumbprint],
  );
  return codes;
}

/** How the database knows a secret. */
export function hash(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
