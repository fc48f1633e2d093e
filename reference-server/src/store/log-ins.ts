import { type PersonRules, rulesForSql } from "./assignments.js";
import { type AuthorizationCode, codeFromRow, type CodeRow } from "./authorization-codes.js";
import { type Client, clientJson } from "./clients.js";
import { type DeviceAuthorization, deviceFromRow, type DeviceRow } from "./device-authorizations.js";
import { type Grant, type RefreshToken, grantFromRow, type GrantRow, type Successor } from "./grants.js";
import { createBatches } from "./postgres/batches.js";
import { bytea, type Database, prepared } from "./postgres/database.js";
import type { User } from "./users.js";

/** What the database says about a person's permissions. Directories have to be asked still: `resolvePermissions`. */
export interface PermissionRecords extends PersonRules {
  readonly user: User;
}

/** The client that asks, and whom the log-in belongs to. */
export interface LogInParties {
  readonly client: Client | undefined;
  /** Directories have to be asked still. */
  readonly person: PermissionRecords | undefined;
}

/** What a client brought, as it is stored, and the client. */
interface Lookup {
  readonly hash: Buffer;
  readonly clientId: string;
}

interface FoundRefresh extends LogInParties {
  readonly token: RefreshToken | undefined;
  readonly grant: Grant | undefined;
}

/** The client and the person, beside whatever else a row has. */
interface PartiesRow {
  wanted_client: Client | null;
  person_id: string | null;
  person_email: string | null;
  person_name: string | null;
  person_enabled: boolean;
  person_rules: PersonRules;
}

interface TokenRow {
  token_hash: Buffer | null;
  token_created_at: Date;
  token_expires_at: Date;
  token_used_at: Date | null;
}

const partiesFor = (clientId: string) => `
  u.id AS person_id, u.email AS person_email, u.name AS person_name, u.enabled AS person_enabled,
  ${rulesForSql("u.id", "u.email")} AS person_rules,
  (SELECT ${clientJson} FROM clients c WHERE c.id = ${clientId}) AS wanted_client`;

const parties = partiesFor("$2");

// Named, because another process may add a column while a connection has its statements prepared.
const codeColumns = `k.hash, k.client_id, k.user_id, k.redirect_uri, k.scopes, k.nonce, k.code_challenge, k.dpop_jkt,
  k.auth_time, k.amr, k.created_at, k.expires_at, k.used_at, k.grant_id`;

const deviceColumns = `d.id, d.device_code_hash, d.user_code_hash, d.client_id, d.scopes, d.dpop_jkt, d.created_at,
  d.expires_at, d.interval_seconds, d.answer, d.user_id, d.auth_time, d.amr, d.used_at`;

const grantColumns =
  "g.id, g.user_id, g.client_id, g.jkt, g.scopes, g.auth_time, g.amr, g.created_at, g.expires_at, g.revoked_at";

// The one row of VALUES keeps the client when nothing else is found.
const byCodeSql = `
  SELECT ${codeColumns}, ${parties}
  FROM (VALUES (1)) AS always LEFT JOIN authorization_codes k ON k.hash = $1
  LEFT JOIN users u ON u.id = k.user_id`;

const byRefreshTokenSql = `
  SELECT ${grantColumns}, t.hash AS token_hash, t.created_at AS token_created_at,
    t.expires_at AS token_expires_at, t.used_at AS token_used_at, ${partiesFor("w.client_id")}
  FROM json_to_recordset($1::json) AS w (position integer, hash bytea, client_id text)
  LEFT JOIN refresh_tokens t ON t.hash = w.hash
  LEFT JOIN grants g ON g.id = t.grant_id LEFT JOIN users u ON u.id = g.user_id
  ORDER BY w.position`;

const successorSql = `
  SELECT n.expires_at AS "expiresAt", n.used_at AS "usedAt",
    extract(epoch FROM now() - t.used_at)::float8 AS "ageSeconds"
  FROM refresh_tokens t JOIN refresh_tokens n ON n.grant_id = t.grant_id
  WHERE t.hash = $1 AND t.used_at IS NOT NULL AND n.hash = $2`;

const byGrantSql = `
  SELECT ${grantColumns}, ${parties}
  FROM (VALUES (1)) AS always LEFT JOIN grants g ON g.id = $1
  LEFT JOIN users u ON u.id = g.user_id`;

const byDeviceCodeSql = `
  SELECT ${deviceColumns}, ${parties}
  FROM (VALUES (1)) AS always LEFT JOIN device_authorizations d ON d.device_code_hash = $1
  LEFT JOIN users u ON u.id = d.user_id`;

/** Everything that decides over a token request, as it was at one moment: each method is one statement. */
export function createLogInStore(database: Database) {
  async function find<Row>(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<Row & PartiesRow> {
    const [row] = await prepared<Row & PartiesRow>(database, { name, text, values });
    if (row === undefined) throw new Error("A statement that always has a row had none.");
    return row;
  }

  return {
    async findByCode({
      hash,
      clientId,
    }: Lookup): Promise<LogInParties & { readonly code: AuthorizationCode | undefined }> {
      type Found = Omit<CodeRow, "hash"> & { hash: Buffer | null };
      const row = await find<Found>("log_in_by_code", byCodeSql, [hash, clientId]);
      const code = row.hash === null ? undefined : codeFromRow({ ...row, hash: row.hash });
      return { ...partiesFromRow(row), code };
    },
    async findByDeviceCode({
      hash,
      clientId,
    }: Lookup): Promise<LogInParties & { readonly device: DeviceAuthorization | undefined }> {
      type Found = Omit<DeviceRow, "id"> & { id: string | null };
      const row = await find<Found>("log_in_by_device_code", byDeviceCodeSql, [hash, clientId]);
      const device = row.id === null ? undefined : deviceFromRow({ ...row, id: row.id });
      return { ...partiesFromRow(row), device };
    },
    findByRefreshToken: createBatches<Lookup, FoundRefresh>({
      async run(lookups) {
        const wanted = lookups.map(({ hash, clientId }, position) => ({
          position,
          hash: bytea(hash),
          client_id: clientId,
        }));
        const rows = await prepared<GrantRow & TokenRow & PartiesRow>(database, {
          name: "log_in_by_refresh_token",
          text: byRefreshTokenSql,
          values: [JSON.stringify(wanted)],
        });
        return rows.map(toRefresh);
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
    async findByGrant({
      id,
      clientId,
    }: {
      id: string;
      clientId: string;
    }): Promise<LogInParties & { readonly grant: Grant | undefined }> {
      type Found = Omit<GrantRow, "id"> & { id: string | null };
      const row = await find<Found>("log_in_by_grant", byGrantSql, [id, clientId]);
      const grant = row.id === null ? undefined : grantFromRow({ ...row, id: row.id });
      return { ...partiesFromRow(row), grant };
    },
  };
}

function toRefresh(row: GrantRow & TokenRow & PartiesRow): FoundRefresh {
  const found = partiesFromRow(row);
  if (row.token_hash === null) return { ...found, token: undefined, grant: undefined };
  const token = {
    hash: row.token_hash,
    grantId: row.id,
    createdAt: row.token_created_at,
    expiresAt: row.token_expires_at,
    usedAt: row.token_used_at,
  };
  return { ...found, token, grant: grantFromRow(row) };
}

function partiesFromRow(row: PartiesRow): LogInParties {
  const { person_id: id, person_email: email, person_name: name, person_enabled: enabled } = row;
  return {
    client: row.wanted_client ?? undefined,
    person: id === null ? undefined : { user: { id, email, name, enabled }, ...row.person_rules },
  };
}
