import { createHash } from "node:crypto";
import type { Client } from "pg";
import { colleagues } from "./installation.js";

const hourMs = 3_600_000;
const days = 30;

/**
 * What happened before somebody took pictures: colleagues signed in, asked for things, and were refused some.
 *
 * Written as the server writes it, older first; the server seals, counts and indexes it by itself.
 */
export async function writePast(database: Client, now: Date): Promise<void> {
  const provider = await one<{ id: string }>(
    database,
    "SELECT id FROM identity_providers WHERE key = 'acme'",
  );
  await writePeople(database, provider.id, now);
  await writeConnections(database, now);
  await ageRecords(database);
  const resources = await database.query<{ resource: string; scope: string }>(
    `SELECT resource, CASE WHEN key = 'invoices' THEN 'invoices:read' ELSE 'contracts:read' END AS scope
     FROM resources ORDER BY key`,
  );
  await database.query(
    `INSERT INTO audit_events (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data)
     SELECT at, type, 1, outcome, "actorType", "actorId", subject, 'authz-cli', "requestId", data
     FROM jsonb_to_recordset($1::jsonb) AS event (at timestamptz, type text, outcome text, "actorType" text,
       "actorId" text, subject text, "requestId" text, data jsonb) ORDER BY at`,
    [JSON.stringify(pastEvents(resources.rows, now))],
  );
}

/** What was registered a minute ago was there before, each record since another day. */
async function ageRecords(database: Client): Promise<void> {
  const age = (column: string) => `now() - ((hashtext(${column}::text) & 31) + 2) * interval '29 hours'`;
  await database.query(`UPDATE assignments SET created_at = ${age("id")}`);
  for (const [table, column] of [
    ["scopes", "key"],
    ["resources", "key"],
    ["clients", "id"],
    ["skills", "id"],
    ["connectors", "key"],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await database.query(`UPDATE ${table} SET created_at = ${age(column)}, updated_at = ${age(column)}`);
  }
}

async function writePeople(database: Client, providerId: string, now: Date): Promise<void> {
  const rows = colleagues.map(({ name, email, groups, hoursAgo }) => ({
    id: idOf(email),
    name,
    email,
    groups,
    at: new Date(now.getTime() - hoursAgo * hourMs),
    until: new Date(now.getTime() + 80 * 24 * hourMs),
    provider: providerId,
  }));
  const people = `WITH people AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS person (id uuid, name text, email text,
    "groups" text[], at timestamptz, until timestamptz, provider uuid))`;
  const given = [JSON.stringify(rows)];
  await database.query(
    `${people} INSERT INTO users (id, email, name, last_signed_in_at, created_at) SELECT id, email, name, at, at - interval '40 days' FROM people`,
    given,
  );
  await database.query(
    `${people} INSERT INTO user_identities (provider_id, subject, user_id) SELECT provider, email, id FROM people`,
    given,
  );
  await database.query(
    `${people} INSERT INTO user_groups (user_id, provider_id, groups, signed_in_at, expires_at)
     SELECT id, provider, "groups", at, until FROM people`,
    given,
  );
}

/** Colleagues with an account elsewhere, each since another day. Their tokens are nobody's: nothing is sent with them. */
async function writeConnections(database: Client, now: Date): Promise<void> {
  const rows = colleagues.slice(0, 11).map(({ name, email, hoursAgo }, index) => ({
    id: idOf(`${email} elsewhere`),
    person: idOf(email),
    connector: index % 4 === 3 ? "notes" : "github",
    account: name.toLowerCase().replaceAll(" ", index % 2 === 0 ? "-" : ""),
    reason: index === 2 ? "refused" : null,
    since: new Date(now.getTime() - (hoursAgo + index * 31) * hourMs),
    used: new Date(now.getTime() - hoursAgo * hourMs),
  }));
  await database.query(
    `INSERT INTO connections (id, connector_id, user_id, state, reason, account_subject, account_label, granted_scopes,
       key_id, wrapped_key, credentials, refreshable, connected_at, refreshed_at, last_used_at)
     SELECT row.id, connectors.id, person, CASE WHEN reason IS NULL THEN 'connected' ELSE 'reconnect_required' END, reason,
       account, account, '{}', connectors.key_id, connectors.wrapped_key, client_secret, true, since, used, used
     FROM jsonb_to_recordset($1::jsonb) AS row (id uuid, person uuid, connector text, account text, reason text,
       since timestamptz, used timestamptz) JOIN connectors ON connectors.key = connector`,
    [JSON.stringify(rows)],
  );
}

interface PastEvent {
  readonly at: Date;
  readonly type: string;
  readonly outcome: "success" | "denied";
  readonly actorType: "user" | "client";
  readonly actorId: string;
  readonly subject: string;
  readonly requestId: string;
  readonly data: object;
}

/** More in office hours, less at the end of a week; the same at every run. */
function pastEvents(
  resources: readonly { readonly resource: string; readonly scope: string }[],
  now: Date,
): readonly PastEvent[] {
  const random = createRandom(7);
  const events: PastEvent[] = [];
  for (let hour = days * 24; hour >= 1; hour -= 1) {
    const begin = new Date(now.getTime() - hour * hourMs);
    const working = [0, 6].includes(begin.getUTCDay()) ? 0.15 : 1;
    const busy = Math.max(0.1, Math.sin(((begin.getUTCHours() - 5) / 14) * Math.PI)) * working;
    const count = Math.round(busy * (6 + random() * 8));
    for (let index = 0; index < count; index += 1) {
      const at = new Date(begin.getTime() + random() * hourMs);
      events.push(pastEvent(resources, { at, random, name: `${hour}.${index}` }));
    }
  }
  return events;
}

function pastEvent(
  resources: readonly { readonly resource: string; readonly scope: string }[],
  { at, random, name }: { readonly at: Date; readonly random: () => number; readonly name: string },
): PastEvent {
  const person = pick(colleagues, random());
  const subject = idOf(person.email);
  // Some services are asked for more than others.
  const { resource, scope } = pick(resources, random() * random());
  const grantId = idOf(`${person.email} laptop`);
  const event = { at, subject, requestId: idOf(`request ${name}`) };
  if (random() < 0.07) {
    return {
      ...event,
      type: "token.refused",
      outcome: "denied",
      actorType: "client",
      actorId: "authz-cli",
      data: {
        grantType: "urn:ietf:params:oauth:grant-type:token-exchange",
        grantId,
        error: "invalid_scope",
        reason: "scope_not_assigned",
        resource,
        scopes: [scope.replace("read", "write").replace("invoices:write", "invoices:approve")],
      },
    };
  }
  const tokenId = idOf(`token ${name}`);
  return {
    ...event,
    type: "assertion.issued",
    outcome: "success",
    actorType: "user",
    actorId: subject,
    data: { grantId, tokenId, resource, scopes: [scope], jkt: thumbprintOf(person.email) },
  };
}

function idOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

function thumbprintOf(name: string): string {
  return createHash("sha256").update(name).digest("base64url");
}

function pick<T>(items: readonly T[], share: number): T {
  const item = items[Math.floor(share * items.length)];
  if (item === undefined) throw new RangeError("There is nothing to pick from.");
  return item;
}

/** Numbers from 0 to 1 that are the same at every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

async function one<Row extends object>(database: Client, text: string): Promise<Row> {
  const [row] = (await database.query<Row>(text)).rows;
  if (row === undefined) throw new Error(`Nothing found: ${text}`);
  return row;
}
