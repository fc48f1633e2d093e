/**
 * The floor: what PostgreSQL alone does with the rows of one request, one prepared statement, ten connections, no HTTP
 * and no signatures. `floor-process.js POSTGRES_URL`; works on a database with the tables of authz-server.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { generateEs256KeyPair } from "@authz/dpop";
import { Client } from "pg";
import { createSeeds } from "../authz/seed.js";
import { answerQuestions } from "../child-process.js";
import type { FloorQuestion, Workload } from "./contender.js";

const connectionCount = 10;

const record = `
  proof AS (INSERT INTO dpop_replays (key, expires_at) SELECT $1::text, now() + interval '65 seconds' FROM used)
  INSERT INTO audit_events (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data)
  SELECT now(), 'token.issued', 1, 'success', 'user', $2::text, $2::text, 'authz-cli', $3::text, $4::jsonb FROM used`;

const statements: Readonly<Record<Workload, string>> = {
  refresh: `
    WITH used AS (
      UPDATE refresh_tokens SET used_at = now() WHERE hash = $5::bytea AND used_at IS NULL RETURNING grant_id
    ), next AS (
      INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
      SELECT $6::bytea, grant_id, now(), now() + interval '30 days' FROM used
    ), ${record}`,
  code: `
    WITH used AS (
      UPDATE authorization_codes SET used_at = now(), grant_id = $7::uuid
      WHERE hash = $5::bytea AND used_at IS NULL RETURNING user_id, client_id, dpop_jkt, scopes
    ), log_in AS (
      INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
      SELECT $7::uuid, user_id, client_id, dpop_jkt, scopes, now(), '{}', now(), now() + interval '90 days' FROM used
    ), next AS (
      INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
      SELECT $6::bytea, $7::uuid, now(), now() + interval '30 days' FROM used
    ), ${record}`,
  exchange: `WITH used AS (SELECT), ${record}`,
};

const connectionString = process.argv[2] ?? "";
const clients = await Promise.all(
  Array.from({ length: connectionCount }, async () => {
    const client = new Client({ connectionString });
    await client.connect();
    return client;
  }),
);
const keyPairs = await Promise.all(clients.map(() => generateEs256KeyPair()));
const seeds = await createSeeds(new Client({ connectionString }));

let tokens: readonly string[] = [];
let codes: readonly (readonly string[])[] = [];

answerQuestions(async ({ kind, workload, count }: FloorQuestion) => {
  const share = Math.ceil(count / connectionCount);
  if (kind === "run") return await run(workload, share);
  tokens = workload === "refresh" ? await seeds.grants(keyPairs) : [];
  codes = workload === "code" ? await seeds.codes(keyPairs, share) : [];
  return undefined;
});

async function run(workload: Workload, share: number): Promise<{ seconds: number; count: number }> {
  const started = performance.now();
  await Promise.all(
    clients.map(async (client, index) => {
      let token = seeds.hash(tokens[index] ?? "");
      for (let request = 0; request < share; request += 1) {
        const next = randomBytes(32);
        const used = workload === "code" ? seeds.hash(codes[index]?.[request] ?? "") : token;
        const own = { refresh: [used, next], code: [used, next, randomUUID()], exchange: [] }[workload];
        const values = [...commonValues(request), ...own];
        const { rowCount } = await client.query({ name: workload, text: statements[workload], values });
        if (rowCount !== 1) throw new Error(`${workload}: a row was not used.`);
        token = next;
      }
    }),
  );
  return { seconds: (performance.now() - started) / 1000, count: share * connectionCount };
}

/** As long as the real ones. */
function commonValues(request: number): string[] {
  const jkt = randomBytes(32).toString("base64url");
  const data = { grantId: randomUUID(), tokenId: randomUUID(), scopes: ["openid", "email"], jkt };
  return [
    `${jkt}.${randomBytes(32).toString("base64url")}`,
    seeds.userId,
    `req-${request}`,
    JSON.stringify(data),
  ];
}
