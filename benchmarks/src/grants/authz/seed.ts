import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type Es256KeyPair, jwkThumbprint } from "@authz/dpop";
import type { Client } from "pg";
import { clientId, codeVerifier, redirectUri, scope } from "../load.js";

const scopes = [...scope.split(" "), "authz:login"];

export interface Seeds {
  readonly userId: string;
  /** How the database knows a secret. */
  hash(secret: string): Buffer;
  grants(keyPairs: readonly Es256KeyPair[]): Promise<readonly string[]>;
  codes(keyPairs: readonly Es256KeyPair[], each: number): Promise<readonly (readonly string[])[]>;
}

/** Writes what sign-in and consent would have written: a person, grants with a refresh token, unused codes. */
export async function createSeeds(database: Client, { email }: { readonly email: string }): Promise<Seeds> {
  const userId = randomUUID();
  await database.connect();
  await database.query("INSERT INTO users (id, email, name) VALUES ($1, $2, 'Ada Lovelace')", [
    userId,
    email,
  ]);

  return {
    userId,
    hash,
    async grants(keyPairs) {
      const secrets = keyPairs.map(createSecret);
      const ids = keyPairs.map(() => randomUUID());
      await database.query(
        `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
         SELECT id, $3, $4, jkt, $5, now(), '{}', now(), now() + interval '90 days'
         FROM unnest($1::uuid[], $2::text[]) AS given (id, jkt)`,
        [ids, keyPairs.map(thumbprint), userId, clientId, scopes],
      );
      await database.query(
        `INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
         SELECT hash, grant_id, now(), now() + interval '30 days'
         FROM unnest($1::bytea[], $2::uuid[]) AS given (hash, grant_id)`,
        [secrets.map(hash), ids],
      );
      return secrets;
    },
    async codes(keyPairs, each) {
      const secrets = keyPairs.map(() => Array.from({ length: each }, createSecret));
      const jkts = keyPairs.flatMap((keyPair) => Array.from({ length: each }, () => thumbprint(keyPair)));
      await database.query(
        `INSERT INTO authorization_codes (hash, client_id, user_id, redirect_uri, scopes, code_challenge,
           dpop_jkt, auth_time, amr, created_at, expires_at)
         SELECT hash, $3, $4, $5, $6, $7, jkt, now(), '{}', now(), now() + interval '10 minutes'
         FROM unnest($1::bytea[], $2::text[]) AS given (hash, jkt)`,
        [secrets.flat().map(hash), jkts, clientId, userId, redirectUri, scopes, codeChallenge],
      );
      return secrets;
    },
  };
}

const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");

function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

function hash(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function thumbprint({ publicJwk }: Es256KeyPair): string {
  return jwkThumbprint(publicJwk);
}
