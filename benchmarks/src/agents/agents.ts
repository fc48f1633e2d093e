import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createProofSigner, type Es256KeyPair, generateEs256KeyPair, jwkThumbprint } from "@authz/dpop";
import type { Server } from "authz-server/dist/server.js";
import type { Client } from "pg";
import { clientOf, emailOf } from "../grants/load.js";
import { serviceScope } from "./protected-api.js";

/** An app of one person, signed in for one address. */
export interface SignedIn {
  /** Headers of a request there, with a proof of its own. */
  readonly credentials: (method: string, url: string) => Readonly<Record<string, string>>;
}

interface Seeded {
  readonly keyPair: Es256KeyPair;
  readonly refreshToken: string;
}

/** Who calls: each of the agents at the server's address for agents, and one app of a person at the service itself. */
export interface People {
  readonly agents: readonly Seeded[];
  readonly direct: readonly Seeded[];
}

const agentsScope = "authz:agents";

/** Registers the service at this origin, lets so many people use it through agents, and writes what their sign-ins would have written. */
export async function seedPeople(
  context: Server["context"],
  database: Client,
  { origin, agents }: { readonly origin: string; readonly agents: number },
): Promise<People> {
  const { store } = context;
  const now = new Date();
  await store.scopes.save({ key: serviceScope, description: "Read", system: false }, now);
  const service = {
    id: randomUUID(),
    key: "bench",
    name: "Benchmark",
    resource: origin,
    authorizationServer: origin,
    clientId: "authz-cli",
    requestPrefixes: [`${origin}/protected`],
    supportedScopes: [serviceScope],
    enabled: true,
    skillDiscovery: false,
    allowsBearer: false,
    agentCalls: true,
    requestHeaders: [],
    builtIn: false,
  };
  await store.resources.save(service, now);
  const emails = Array.from({ length: agents }, (_, index) => emailOf(index));
  await store.assignments.insertAllMissing(
    emails.flatMap((email) =>
      [agentsScope, serviceScope].map((scope) => ({ id: randomUUID(), email, scope })),
    ),
    now,
  );
  const address = await store.resources.findByKey("agents");
  if (address === undefined) throw new Error("The server has no address for agents.");
  return {
    agents: await seedGrants(database, { emails, resourceId: address.id, scope: agentsScope }),
    direct: await seedGrants(database, {
      emails: emails.slice(0, 1),
      resourceId: service.id,
      scope: serviceScope,
    }),
  };
}

async function seedGrants(
  database: Client,
  wanted: { readonly emails: readonly string[]; readonly resourceId: string; readonly scope: string },
): Promise<readonly Seeded[]> {
  const seeded = await Promise.all(
    wanted.emails.map(async () => ({
      keyPair: await generateEs256KeyPair(),
      refreshToken: randomBytes(32).toString("base64url"),
    })),
  );
  const ids = seeded.map(() => randomUUID());
  await database.query(
    `INSERT INTO grants (id, user_id, client_id, jkt, resource_id, scopes, auth_time, amr, created_at, expires_at)
     SELECT given.id, u.id, $4, given.jkt, $5, $6, now(), '{}', now(), now() + interval '90 days'
     FROM unnest($1::uuid[], $2::text[], $3::text[]) AS given (id, jkt, email) JOIN users u USING (email)`,
    [
      ids,
      seeded.map(({ keyPair }) => jwkThumbprint(keyPair.publicJwk)),
      wanted.emails,
      clientOf(0),
      wanted.resourceId,
      [wanted.scope, "offline_access"],
    ],
  );
  await database.query(
    `INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
     SELECT hash, grant_id, now(), now() + interval '30 days'
     FROM unnest($1::bytea[], $2::uuid[]) AS given (hash, grant_id)`,
    [seeded.map(({ refreshToken }) => createHash("sha256").update(refreshToken).digest()), ids],
  );
  return seeded;
}

/** Exchanges the refresh token for an access token: good for five minutes, longer than a run. */
export async function signIn(
  { keyPair, refreshToken }: Seeded,
  { issuer, resource }: { readonly issuer: string; readonly resource: string },
): Promise<SignedIn> {
  const signer = createProofSigner(keyPair);
  const url = `${issuer}/api/oauth/token`;
  const response = await fetch(url, {
    method: "POST",
    headers: { dpop: signer.sign({ method: "POST", url }) },
    body: new URLSearchParams({
      grant_type: "refresh_token",
      client_id: clientOf(0),
      refresh_token: refreshToken,
      resource,
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The refresh was answered with ${response.status}: ${text}`);
  const { access_token: accessToken } = JSON.parse(text) as { access_token: string };
  return {
    credentials: (method, target) => ({
      authorization: `DPoP ${accessToken}`,
      dpop: signer.sign({ method, url: target, accessToken }),
    }),
  };
}
