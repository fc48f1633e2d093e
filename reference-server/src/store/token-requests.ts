import { type PersonRules, rulesForSql } from "./assignments.js";
import { type AuthorizationCode, codeTable } from "./authorization-codes.js";
import { type Client, clientTable } from "./clients.js";
import { type DeviceAuthorization, deviceFromStored, deviceTable } from "./device-authorizations.js";
import { type Grant, grantTable, type RefreshToken, refreshTokenTable, type Successor } from "./grants.js";
import { createBatches } from "./postgres/batches.js";
import { bytea, type Database, prepared } from "./postgres/database.js";
import { type Resource, resourceTable } from "./resources.js";
import { isStoppedSql, useStopSql } from "./stop-conditions.js";
import { loginScope } from "./system-scopes.js";
import { type User, userTable } from "./users.js";

/** A user's permissions as far as the database has them; `resolvePermissions` asks the directories. */
export interface PermissionRecords extends PersonRules {
  readonly user: User;
}

/** The client that asks, whom the grant belongs to, and the service it is for. */
interface RequestParties {
  readonly client: Client | undefined;
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
  /** Directories have to be asked still. */
  readonly person: PermissionRecords | undefined;
  /** A stop applies to the person, the client, both, the service, or everything. */
  readonly stopped: boolean;
}

/** The hash of a client's credential, and the client. */
interface Lookup {
  readonly hash: Buffer;
  readonly clientId: string;
}

/** What a token is to be exchanged for. */
export interface ExchangeTarget {
  /** The identifier of a service. */
  readonly resource: string;
  /** The scopes that decide; `undefined`: all of the service. */
  readonly scopes: readonly string[] | undefined;
}

type RefreshLookup = Lookup & { readonly target?: ExchangeTarget };

interface GrantLookup {
  readonly id: string;
  readonly clientId: string;
  readonly target?: ExchangeTarget;
}

interface FoundGrant extends RequestParties {
  readonly grant: Grant | undefined;
  /** The service of the exchange. Of the person's rules only those that decide over it are loaded then. */
  readonly target: Resource | undefined;
}

interface FoundRefresh extends FoundGrant {
  readonly token: RefreshToken | undefined;
}

/** The row of a lookup, with a prefix for each table; a table without a match has a `null` key. */
interface FoundRow {
  readonly client: Client | null;
  readonly resource: Resource | null;
  readonly "person.id": string | null;
  readonly rules: PersonRules;
  /** `false`: a stop that was lifted has ended the grant. */
  readonly stopped: boolean | null;
  readonly target?: Resource | null;
  readonly "code.hash"?: Buffer | null;
  readonly "device.id"?: string | null;
  readonly "token.hash"?: Buffer | null;
  readonly "grant.id"?: string | null;
}

/** A join that uses the index once per row, regardless of the planner's statistics. */
const eachJoined = (table: string, name: string, condition: string) =>
  `LEFT JOIN LATERAL (SELECT * FROM ${table} WHERE ${condition} OFFSET 0) AS ${name} ON true`;

const partiesOf = (clientId: string, resourceId: string, stopped: string, deciding?: string) => `
  ${stopped} AS stopped,
  ${userTable.select("u", "person.")}, ${rulesForSql("u.id", "u.email", deciding)} AS rules,
  (SELECT ${resourceTable.toJsonSql("r")} FROM resources r WHERE r.id = ${resourceId}) AS resource,
  (SELECT ${clientTable.toJsonSql("c")} FROM clients c WHERE c.id = ${clientId}) AS client`;

/** Columns of a lookup that may be for an exchange, and what those find besides. A lookup without a target loads every rule. */
const lookupColumns = "position integer, client_id text, target text, target_scopes text[]";
const decidingScopes = `w.target IS NULL OR a.scope_key = '${loginScope}' OR a.scope_key = ANY (g.scopes)
  OR CASE WHEN w.target_scopes IS NOT NULL THEN a.scope_key = ANY (w.target_scopes)
    ELSE a.scope_key IN (SELECT s.scope_key FROM resources r JOIN resource_scopes s ON s.resource_id = r.id WHERE r.resource = w.target) END`;
const grantAndTarget = `${grantTable.select("g", "grant.")}, ${partiesOf("w.client_id", "g.resource_id", useStopSql("g", "w.client_id", "target.id"), decidingScopes)},
  CASE WHEN target.id IS NOT NULL THEN ${resourceTable.toJsonSql("target")} END AS target`;
const targetJoined = eachJoined("resources", "target", "resource = w.target");

const byCodeSql = `
  SELECT ${codeTable.select("k", "code.")}, ${partiesOf("w.client_id", "k.resource_id", isStoppedSql("u.id", "w.client_id", "k.resource_id", "k.created_at"))}
  FROM json_to_recordset($1::json) AS w (position integer, client_id text, hash bytea)
  ${eachJoined("authorization_codes", "k", "hash = w.hash")} ${eachJoined("users", "u", "id = k.user_id")}
  ORDER BY w.position`;

const byRefreshTokenSql = `
  SELECT ${refreshTokenTable.select("t", "token.")}, ${grantAndTarget}
  FROM json_to_recordset($1::json) AS w (${lookupColumns}, hash bytea)
  ${eachJoined("refresh_tokens", "t", "hash = w.hash")} ${eachJoined("grants", "g", "id = t.grant_id")} ${eachJoined("users", "u", "id = g.user_id")}
  ${targetJoined} ORDER BY w.position`;

const successorSql = `
  SELECT n.expires_at AS "expiresAt", n.used_at AS "usedAt",
    extract(epoch FROM now() - t.used_at)::float8 AS "ageSeconds"
  FROM refresh_tokens t JOIN refresh_tokens n ON n.grant_id = t.grant_id
  WHERE t.hash = $1 AND t.used_at IS NOT NULL AND n.hash = $2`;

const byGrantSql = `
  SELECT ${grantAndTarget}
  FROM json_to_recordset($1::json) AS w (${lookupColumns}, id uuid)
  ${eachJoined("grants", "g", "id = w.id")} ${eachJoined("users", "u", "id = g.user_id")}
  ${targetJoined} ORDER BY w.position`;

// The one row of VALUES keeps the client when nothing else is found.
const byDeviceCodeSql = `
  SELECT ${deviceTable.select("d", "device.")}, ${partiesOf("$2", "d.resource_id", isStoppedSql("u.id", "$2", "d.resource_id", "d.created_at"))}
  FROM (VALUES (1)) AS always LEFT JOIN device_authorizations d ON d.device_code_hash = $1
  LEFT JOIN users u ON u.id = d.user_id`;

/** Everything that decides over a token request, as it was at one moment: each method is one statement. */
export function createTokenRequestStore(database: Database) {
  async function find(name: string, text: string, values: readonly unknown[]): Promise<FoundRow> {
    const [row] = await prepared<FoundRow>(database, { name, text, values });
    if (row === undefined) throw new Error("A statement that always has a row had none.");
    return row;
  }

  return {
    findByCode: createBatches<Lookup, RequestParties & { readonly code: AuthorizationCode | undefined }>({
      async run(lookups) {
        const rows = await prepared<FoundRow>(database, {
          name: "token_request_by_code",
          text: byCodeSql,
          values: wantedJson(lookups, ({ hash }) => ({ hash: bytea(hash) })),
        });
        return rows.map((row) => ({
          ...partiesFromRow(row),
          code: row["code.hash"] === null ? undefined : codeTable.fromRow(row, "code."),
        }));
      },
    }),
    async findByDeviceCode({
      hash,
      clientId,
    }: Lookup): Promise<RequestParties & { readonly device: DeviceAuthorization | undefined }> {
      const row = await find("token_request_by_device_code", byDeviceCodeSql, [hash, clientId]);
      const device =
        row["device.id"] === null ? undefined : deviceFromStored(deviceTable.fromRow(row, "device."));
      return { ...partiesFromRow(row), device };
    },
    findByRefreshToken: createBatches<RefreshLookup, FoundRefresh>({
      async run(lookups) {
        const rows = await prepared<FoundRow>(database, {
          name: "token_request_by_refresh_token",
          text: byRefreshTokenSql,
          values: wantedJson(lookups, ({ hash }) => ({ hash: bytea(hash) })),
        });
        return rows.map((row) => ({
          ...grantFromRow(row),
          token: row["token.hash"] === null ? undefined : refreshTokenTable.fromRow(row, "token."),
        }));
      },
    }),
    /** What followed a rotated refresh token; `undefined` when that is not this one. */
    async findSuccessor({
      usedHash,
      nextHash,
    }: {
      usedHash: Buffer;
      nextHash: Buffer;
    }): Promise<Successor | undefined> {
      const statement = { name: "refresh_token_successor", text: successorSql, values: [usedHash, nextHash] };
      const [successor] = await prepared<Successor>(database, statement);
      return successor;
    },
    findByGrant: createBatches<GrantLookup, FoundGrant>({
      async run(lookups) {
        const rows = await prepared<FoundRow>(database, {
          name: "token_request_by_grant",
          text: byGrantSql,
          values: wantedJson(lookups, ({ id }) => ({ id })),
        });
        return rows.map(grantFromRow);
      },
    }),
  };
}

/** The lookups of a statement, as its one parameter. */
function wantedJson<Wanted extends Pick<GrantLookup, "clientId" | "target">>(
  lookups: readonly Wanted[],
  keyOf: (lookup: Wanted) => object,
): readonly [string] {
  const wanted = lookups.map((lookup, position) => ({
    position,
    client_id: lookup.clientId,
    target: lookup.target?.resource,
    target_scopes: lookup.target?.scopes,
    ...keyOf(lookup),
  }));
  return [JSON.stringify(wanted)];
}

function grantFromRow(row: FoundRow): FoundGrant {
  const stored = row["grant.id"] === null ? undefined : grantTable.fromRow(row, "grant.");
  const ended = row.stopped === false && stored !== undefined;
  const grant = ended ? { ...stored, revokedAt: stored.revokedAt ?? stored.createdAt } : stored;
  return { ...partiesFromRow(row), grant, target: row.target ?? undefined };
}

function partiesFromRow(row: FoundRow): RequestParties {
  return {
    client: row.client ?? undefined,
    resource: row.resource ?? undefined,
    stopped: row.stopped === true,
    person: row["person.id"] === null ? undefined : { user: userTable.fromRow(row, "person."), ...row.rules },
  };
}
