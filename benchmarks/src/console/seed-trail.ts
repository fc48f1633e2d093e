import { createHmac } from "node:crypto";
import { eventWords } from "authz-server/dist/audit/event-words.js";
import { chainStart, nextId, sealDigest } from "authz-server/dist/audit/seal.js";
import type { Client } from "pg";
import type { Extent } from "./extent.js";
import { idSql } from "./seed-registry.js";
import { allKinds, kinds, oldKind, rareKind } from "./trail-kinds.js";

/** Events of one statement, and of one seal. */
const batchSize = 100_000;
const sealSize = 1_000;
const days = 400;

/**
 * Events of {@link days} days, with the seals, the words and the counts that the server would have made of them.
 *
 * Words come from the server's own code: one list for each person, service and kind of event. The rest is SQL; `checkTrail`
 * compares it with what the server says of the same events.
 */
export async function seedTrail(
  database: Client,
  { extent, sealKey }: { readonly extent: Extent; readonly sealKey: Buffer },
): Promise<void> {
  const indexes = await dropIndexes(database);
  await createWordLists(database);
  const sealed = extent.events - extent.unsealed;
  for (let from = 1; from <= extent.events; from += batchSize) {
    const through = Math.min(from + batchSize - 1, extent.events);
    process.stderr.write(`\revents ${through} of ${extent.events}`);
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await database.query(batchSql(extent), [from, through, sealed]);
  }
  process.stderr.write("\nseals, counts, indexes\n");
  await seal(database, sealKey);
  await count(database, sealed);
  for (const index of indexes) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await database.query(index);
  }
  await database.query("SELECT setval(pg_get_serial_sequence('audit_events', 'id'), $1)", [extent.events]);
  await database.query("DROP TABLE bench_users, bench_resources, bench_kinds, bench_digests");
}

/** Indexes are made when everything is there. */
async function dropIndexes(database: Client): Promise<readonly string[]> {
  const { rows } = await database.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE tablename IN ('audit_events', 'audit_search') AND indexname NOT LIKE '%_pkey'`,
  );
  for (const { name } of rows) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await database.query(`DROP INDEX ${name}`);
  }
  return rows.map(({ definition }) => definition);
}

async function createWordLists(database: Client): Promise<void> {
  await database.query(`
    CREATE UNLOGGED TABLE bench_kinds (kind integer PRIMARY KEY, type text, outcome text, actor text, resource boolean, data text, words text[]);
    CREATE UNLOGGED TABLE bench_users (n integer PRIMARY KEY, id text, words text[]);
    CREATE UNLOGGED TABLE bench_resources (n integer PRIMARY KEY, resource text, words text[]);
    CREATE UNLOGGED TABLE bench_digests (n bigint PRIMARY KEY, last_id bigint, count integer, digest bytea)`);
  const kindRows = allKinds.map((kind, index) => ({
    kind: index,
    type: kind.type,
    outcome: kind.outcome,
    actor: kind.actor,
    resource: kind.about === "resource",
    data: kind.data,
    words: wordsOf([kind.type, kind.outcome, kind.actor, ...constantTexts(kind.data)]),
  }));
  await database.query(
    "INSERT INTO bench_kinds SELECT * FROM jsonb_populate_recordset(NULL::bench_kinds, $1)",
    [JSON.stringify(kindRows)],
  );
  await fill(database, "bench_users", {
    sql: "SELECT (right(id::text, 12))::integer AS n, id::text, ARRAY[id::text, email, name] AS texts FROM users WHERE id::text LIKE '1%'",
    column: "id",
  });
  await fill(database, "bench_resources", {
    sql: "SELECT (right(id::text, 12))::integer AS n, resource AS id, ARRAY[resource, name, key] AS texts FROM resources WHERE id::text LIKE '2%'",
    column: "resource",
  });
}

async function fill(
  database: Client,
  table: string,
  { sql, column }: { readonly sql: string; readonly column: string },
): Promise<void> {
  const { rows } = await database.query<{ n: number; id: string; texts: readonly string[] }>(sql);
  const given = rows.map(({ n, id, texts }) => ({ n, [column]: id, words: wordsOf(texts) }));
  await database.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
    JSON.stringify(given),
  ]);
}

function constantTexts(data: string): readonly string[] {
  const texts = Object.values(JSON.parse(data) as Record<string, string | readonly string[]>).flat();
  return texts.filter((text) => !text.startsWith("{"));
}

/** The server's own words of some texts. */
function wordsOf(texts: readonly string[]): readonly string[] {
  const nothing = {
    type: "",
    outcome: "",
    actorType: "",
    actorId: null,
    subject: null,
    clientId: null,
    requestId: null,
  };
  return eventWords(
    { ...nothing, data: { texts } } as unknown as Parameters<typeof eventWords>[0],
    new Map(),
  );
}

/** `$1` to `$2` are stored; those up to `$3` also get words and the digest of their seal. */
function batchSql({ users, resources, logIns, events }: Extent): string {
  const random = (seed: number) => `(hashint8extended(n, ${seed}) & 2147483647)`;
  const stepMicroseconds = Math.floor((days * 86_400_000_000) / events);
  let sum = 0;
  const ranges = kinds.map(
    ({ share }, index) => `WHEN ${random(1)} % 1000 < ${(sum += share)} THEN ${index}`,
  );
  return `
  WITH numbered AS (
    SELECT n, CASE WHEN n % 100000 = 77 THEN ${allKinds.indexOf(rareKind)}
      WHEN n < ${events} / 5 AND ${random(1)} % 1000 BETWEEN 890 AND 939 THEN ${allKinds.indexOf(oldKind)}
      ${ranges.join(" ")} END AS kind,
      -- A few people and services do much, many do little.
      (CASE WHEN ${random(2)} % 4 = 0 THEN ${random(3)} % ${Math.ceil(users / 100)} ELSE ${random(3)} % ${users} END + 1)::integer AS person,
      (CASE WHEN ${random(4)} % 2 = 0 THEN ${random(5)} % ${Math.ceil(resources / 100)} ELSE ${random(5)} % ${resources} END + 1)::integer AS service,
      ${random(6)} % 200 + 1 AS machine, md5(n || 'token')::uuid::text AS token, md5(n || 'request')::uuid::text AS request,
      (SELECT date_trunc('hour', now())) - (${events} - n) * interval '${stepMicroseconds} microseconds' AS at
    FROM generate_series($1::bigint, $2::bigint) AS n
  ), detailed AS (
    SELECT e.*, k.type, k.outcome, k.actor, k.words AS kind_words, k.data AS template,
      CASE WHEN k.actor = 'user' THEN u.id END AS user_id, CASE WHEN k.actor = 'user' THEN u.words END AS user_words,
      CASE WHEN k.resource THEN r.resource END AS resource, CASE WHEN k.resource THEN r.words END AS resource_words,
      CASE k.actor WHEN 'user' THEN 'authz-cli' WHEN 'client' THEN 'client-' || machine END AS client,
      CASE k.actor WHEN 'user' THEN ARRAY['authz-cli', 'cli', 'authz', 'command', 'line']
        WHEN 'client' THEN ARRAY['client-' || machine, machine::text, 'nightly', 'job'] END AS client_words,
      ${idSql("grants", `person % ${logIns}`)}::text AS grant_id,
      left(translate(encode(sha256(person::text::bytea), 'base64'), '+/', 'xy'), 43) AS jkt
    FROM numbered e JOIN bench_kinds k USING (kind) JOIN bench_users u ON u.n = e.person JOIN bench_resources r ON r.n = e.service
  ), complete AS MATERIALIZED (
    SELECT *, coalesce(user_id, CASE WHEN actor = 'client' THEN client END) AS actor_id,
      replace(replace(replace(replace(template, '{grant}', grant_id), '{jkt}', jkt), '{token}', token), '{resource}', coalesce(resource, '')) AS data
    FROM detailed
  ), stored AS (
    INSERT INTO audit_events (id, at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data)
    OVERRIDING SYSTEM VALUE
    SELECT n, at, type, 1, outcome, actor, actor_id, user_id, client, request, data::jsonb FROM complete ORDER BY n
  ), indexed AS (
    INSERT INTO audit_search (event_id, at, words)
    SELECT n, at, array_to_tsvector(kind_words || coalesce(user_words, '{}') || coalesce(client_words, '{}') || coalesce(resource_words, '{}')
      || request || CASE WHEN template LIKE '%{token}%' THEN ARRAY[token] ELSE '{}' END
      || CASE WHEN template LIKE '%{grant}%' THEN ARRAY[grant_id] ELSE '{}' END
      || CASE WHEN template LIKE '%{jkt}%' THEN ARRAY[lower(jkt)] ELSE '{}' END)
    FROM complete WHERE n <= $3 ORDER BY n
  )
  INSERT INTO bench_digests
  SELECT (n - 1) / ${sealSize}, max(n), count(*), sha256(convert_to(string_agg(
    '{"actorId":' || coalesce('"' || actor_id || '"', 'null') || ',"actorType":"' || actor || '","at":"'
      || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '","clientId":' || coalesce('"' || client || '"', 'null')
      || ',"data":' || data || ',"id":"' || n || '","outcome":"' || outcome || '","requestId":"' || request || '","subject":'
      || coalesce('"' || user_id || '"', 'null') || ',"type":"' || type || E'","version":1}\\n', '' ORDER BY n), 'UTF8'))
  FROM complete WHERE n <= $3 GROUP BY 1`;
}

/** Chains the digests with the server's own code. */
async function seal(database: Client, sealKey: Buffer): Promise<void> {
  const { rows } = await database.query<{ last_id: string; count: number; digest: Buffer }>(
    "SELECT last_id::text, count, digest FROM bench_digests ORDER BY n",
  );
  let previous: { readonly id: number; readonly lastEventId: string; readonly digest: Buffer } = chainStart;
  const sealedAt = new Date();
  const seals = rows.map((row) => {
    const content = {
      id: previous.id + 1,
      firstEventId: nextId(previous.lastEventId),
      lastEventId: row.last_id,
      eventCount: row.count,
      eventsDigest: row.digest,
      previousDigest: previous.digest,
      sealedAt,
      unproven: [],
    };
    const digest = sealDigest(content);
    previous = { ...content, digest };
    return { ...content, digest, mac: createHmac("sha256", sealKey).update(digest).digest() };
  });
  const hex = (bytes: Buffer) => `\\x${bytes.toString("hex")}`;
  await database.query(
    "INSERT INTO audit_seals SELECT * FROM jsonb_populate_recordset(NULL::audit_seals, $1)",
    [
      JSON.stringify(
        seals.map((made) => ({
          id: made.id,
          first_event_id: made.firstEventId,
          last_event_id: made.lastEventId,
          event_count: made.eventCount,
          events_digest: hex(made.eventsDigest),
          previous_digest: hex(made.previousDigest),
          digest: hex(made.digest),
          mac: hex(made.mac),
          sealed_at: made.sealedAt,
          unproven: made.unproven,
        })),
      ),
    ],
  );
}

async function count(database: Client, sealed: number): Promise<void> {
  await database.query(
    `INSERT INTO audit_counts SELECT date_trunc('hour', at, 'UTC'), type, outcome, count(*) FROM audit_events WHERE id <= $1 GROUP BY 1, 2, 3`,
    [sealed],
  );
  await database.query(
    `INSERT INTO audit_resource_counts SELECT (at AT TIME ZONE 'UTC')::date, data->>'resource', count(*) FROM audit_events
     WHERE id <= $1 AND outcome = 'success' AND type IN ('assertion.issued', 'machine_token.issued') GROUP BY 1, 2`,
    [sealed],
  );
  await database.query(
    "UPDATE audit_index_progress SET through_event_id = $1, through_at = (SELECT at FROM audit_events WHERE id = $1)",
    [sealed],
  );
}
