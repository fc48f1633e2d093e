import { type PersonRules, rulesForSql } from "./assignments.js";
import { type AuthorizationCode, codeTable } from "./authorization-codes.js";
import { type Client, clientTable } from "./clients.js";
import { type DeviceAuthorization, deviceFromStored, deviceTable } from "./device-authorizations.js";
import { type Grant, grantTable, type RefreshToken, refreshTokenTable, type Successor } from "./grants.js";
import { createBatches } from "./postgres/batches.js";
import { bytea, type Database, prepared } from "./postgres/database.js";
import { type Resource, resourceTable } from "./resources.js";
import { type User, userTable } from "./users.js";

/** What the database says about a person's permissions. Directories have to be asked still: `resolvePermissions`. */
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
}

/** What a client brought, as it is stored, and the client. */
interface Lookup {
  readonly hash: Buffer;
  readonly clientId: string;
}

interface FoundRefresh extends RequestParties {
  readonly token: RefreshToken | undefined;
  readonly grant: Grant | undefined;
}

/** Whatever a statement finds, under a prefix for each table; a table that has nothing has `null` for its key. */
interface FoundRow {
  readonly client: Client | null;
  readonly resource: Resource | null;
  readonly "person.id": string | null;
  readonly rules: PersonRules;
  readonly "code.hash"?: Buffer | null;
  readonly "device.id"?: string | null;
  readonly "token.hash"?: Buffer | null;
  readonly "grant.id"?: string | null;
}

const partiesOf = (clientId: string, resourceId: string) => `
  ${userTable.select("u", "person.")}, ${rulesForSql("u.id", "u.email")} AS rules,
  (SELECT ${resourceTable.toJsonSql("r")} FROM resources r WHERE r.id = ${resourceId}) AS resource,
  (SELECT ${clientTable.toJsonSql("c")} FROM clients c WHERE c.id = ${clientId}) AS client`;

// The one row of VALUES keeps the client when nothing else is found.
const byCodeSql = `
  SELECT ${codeTable.select("k", "code.")}, ${partiesOf("$2", "k.resource_id")}
  FROM (VALUES (1)) AS always LEFT JOIN authorization_codes k ON k.hash = $1
  LEFT JOIN users u ON u.id = k.user_id`;

const byRefreshTokenSql = `
  SELECT ${grantTable.select("g", "grant.")}, ${refreshTokenTable.select("t", "token.")}, ${partiesOf("w.client_id", "g.resource_id")}
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
  SELECT ${grantTable.select("g", "grant.")}, ${partiesOf("$2", "g.resource_id")}
  FROM (VALUES (1)) AS always LEFT JOIN grants g ON g.id = $1
  LEFT JOIN users u ON u.id = g.user_id`;

const byDeviceCodeSql = `
  SELECT ${deviceTable.select("d", "device.")}, ${partiesOf("$2", "d.resource_id")}
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
    async findByCode({
      hash,
      clientId,
    }: Lookup): Promise<RequestParties & { readonly code: AuthorizationCode | undefined }> {
      const row = await find("token_request_by_code", byCodeSql, [hash, clientId]);
      const code = row["code.hash"] === null ? undefined : codeTable.fromRow(row, "code.");
      return { ...partiesFromRow(row), code };
    },
    async findByDeviceCode({
      hash,
      clientId,
    }: Lookup): Promise<RequestParties & { readonly device: DeviceAuthorization | undefined }> {
      const row = await find("token_request_by_device_code", byDeviceCodeSql, [hash, clientId]);
      const device =
        row["device.id"] === null ? undefined : deviceFromStored(deviceTable.fromRow(row, "device."));
      return { ...partiesFromRow(row), device };
    },
    findByRefreshToken: createBatches<Lookup, FoundRefresh>({
      async run(lookups) {
        const wanted = lookups.map(({ hash, clientId }, position) => ({
          position,
          hash: bytea(hash),
          client_id: clientId,
        }));
        const rows = await prepared<FoundRow>(database, {
          name: "token_request_by_refresh_token",
          text: byRefreshTokenSql,
          values: [JSON.stringify(wanted)],
        });
        return rows.map((row) => {
          const token = row["token.hash"] === null ? undefined : refreshTokenTable.fromRow(row, "token.");
          return { ...partiesFromRow(row), token, grant: grantFromRow(row) };
        });
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
    }): Promise<RequestParties & { readonly grant: Grant | undefined }> {
      const row = await find("token_request_by_grant", byGrantSql, [id, clientId]);
      return { ...partiesFromRow(row), grant: grantFromRow(row) };
    },
  };
}

function grantFromRow(row: FoundRow): Grant | undefined {
  return row["grant.id"] === null ? undefined : grantTable.fromRow(row, "grant.");
}

function partiesFromRow(row: FoundRow): RequestParties {
  return {
    client: row.client ?? undefined,
    resource: row.resource ?? undefined,
    person: row["person.id"] === null ? undefined : { user: userTable.fromRow(row, "person."), ...row.rules },
  };
}
