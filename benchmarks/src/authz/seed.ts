import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type Es256KeyPair, jwkThumbprint } from "@authz/dpop";
import type { Client } from "pg";
import {
  clientIds,
  clientOf,
  codeVerifier,
  emailOf,
  peopleCount,
  personOf,
  redirectUri,
  scope,
} from "./people.js";

const scopes = [...scope.split(" "), "authz:login"];

export interface Seeds {
  /** One of the people. */
  readonly userId: string;
  /** How the database knows a secret. */
  hash(secret: string): Buffer;
  /** The refresh token of each device: for the server itself unless a service and its scopes are given. */
  grants(
    keyPairs: readonly Es256KeyPair[],
    access?: { readonly resourceId: string; readonly scopes: readonly string[] },
  ): Promise<readonly string[]>;
  codes(keyPairs: readonly Es256KeyPair[], each: number): Promise<readonly (readonly string[])[]>;
}

/** Writes what sign-in and consent would have written: people, grants with a refresh token, unused codes. */
export async function createSeeds(database: Client): Promise<Seeds> {
  const people = Array.from({ length: peopleCount }, () => randomUUID());
  const userOf = (person: number): string => people[person] ?? "";
  await database.connect();
  await database.query(
    "INSERT INTO users (id, email, name) SELECT id, email, 'Ada Lovelace' FROM unnest($1::uuid[], $2::text[]) AS given (id, email)",
    [people, people.map((_, person) => emailOf(person))],
  );
  await database.query(
    "INSERT INTO clients (id, name, redirect_uris, grant_types) SELECT id, id, '{}', '{authorization_code,refresh_token,urn:ietf:params:oauth:grant-type:token-exchange}' FROM unnest($1::text[]) AS given (id) ON CONFLICT DO NOTHING",
    [clientIds],
  );

  return {
    userId: userOf(0),
    hash,
    async grants(keyPairs, access) {
      const devices = keyPairs.length;
      const secrets = keyPairs.map(createSecret);
      const ids = keyPairs.map(() => randomUUID());
      await database.query(
        `INSERT INTO grants (id, user_id, client_id, jkt, scopes, resource_id, auth_time, amr, created_at, expires_at)
         SELECT id, user_id, client_id, jkt, $5, $6, now(), '{}', now(), now() + interval '90 days'
         FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[]) AS given (id, jkt, user_id, client_id)`,
        [
          ids,
          keyPairs.map(thumbprint),
          keyPairs.map((_, device) => userOf(personOf(device, { devices }))),
          keyPairs.map((_, device) => clientOf(device)),
          access?.scopes ?? scopes,
          access?.resourceId ?? null,
        ],
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
      const devices = keyPairs.length;
      const issued = keyPairs.flatMap((keyPair, device) =>
        Array.from({ length: each }, (_, request) => ({
          jkt: thumbprint(keyPair),
          client: clientOf(device),
          user: userOf(personOf(device, { request, devices })),
        })),
      );
      await database.query(
        `INSERT INTO authorization_codes (hash, client_id, user_id, redirect_uri, scopes, code_challenge,
           dpop_jkt, auth_time, amr, created_at, expires_at)
         SELECT hash, client_id, user_id, $5, $6, $7, jkt, now(), '{}', now(), now() + interval '10 minutes'
         FROM unnest($1::bytea[], $2::text[], $3::text[], $4::uuid[]) AS given (hash, jkt, client_id, user_id)`,
        [
          secrets.flat().map(hash),
          issued.map(({ jkt }) => jkt),
          issued.map(({ client }) => client),
          issued.map(({ user }) => user),
          redirectUri,
          scopes,
          codeChallenge,
        ],
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
