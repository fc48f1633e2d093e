import { type PersonRules, rulesForSql } from "./assignments.js";
import type { ListedPerson } from "./browser-sessions.js";
import type { ClientSource } from "./clients.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import { createBatches } from "./postgres/batches.js";
import { type Database, prepared } from "./postgres/database.js";
import { defineTable, LinkedScopes } from "./postgres/table.js";
import type { Resource } from "./resources.js";
import { firstStopSql, isGrantLiveSql, useStopSql } from "./stop-conditions.js";
import { type User, userTable } from "./users.js";

/**
 * What a person allowed a client on one device, or what a provider vouches for: a family of tokens. Created by `redemptions.ts`. Its `id` is
 * `sid` in tokens; every token of the grant dies with it.
 */
export interface Grant {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  /** Thumbprint of the device's key; `null` for a client that cannot use DPoP. */
  readonly jkt: string | null;
  /** Set by the client, or by its user since; at most 80 characters. */
  readonly deviceName: string | null;
  /** The service that its access tokens are for; `null`: this server's own API. */
  readonly resourceId: string | null;
  /** Who vouches for the person, with each assertion anew; `null`: the person allowed it. */
  readonly providerId: string | null;
  readonly scopes: readonly string[];
  readonly authTime: Date | null;
  readonly amr: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** The entry of its tokens in the token status list. */
  readonly statusIndex: number;
}

/** A grant that may not be stored yet; then it has no entry in the token status list. */
export type BegunGrant = Omit<Grant, "statusIndex"> & Partial<Pick<Grant, "statusIndex">>;

export type RevocationReason =
  | "code_reused"
  | "ended_by_provider"
  | "refresh_token_reused"
  | "restored"
  | "revoked_by_administrator"
  | "revoked_by_client"
  | "revoked_by_user"
  | "user_disabled";

/** A caller's use of a grant. */
export interface ShownAccess {
  readonly id: string;
  readonly now: Date;
  /** The proof that came along; it is used up when grant, client and person may act. `expiresAt` is in epoch seconds. */
  readonly proof: { readonly key: string; readonly expiresAt: number } | undefined;
  /** The identifier of the service where they show it; it must be enabled, too. `undefined`: this server's own API. */
  readonly service?: string | undefined;
}

/** The user and client of a grant as they are now. */
export interface ActiveGrant {
  readonly grant: Grant;
  /** The scopes that the client may ever be given; `null`: any. */
  readonly ceiling: readonly string[] | null;
  readonly user: User;
  /** A stop applies: of the person, the client, both, the service, or everything. */
  readonly stopped: boolean;
  readonly rules: PersonRules;
  /** The proof was new, and is used up; `false` as well when there was none. */
  readonly proofTaken: boolean;
  /** The service where it is shown, if there is one. */
  readonly service: Pick<Resource, "enabled" | "allowsBearer"> | undefined;
}

/** A client beside something of it. */
export interface ClientName {
  readonly id: string;
  readonly name: string;
  readonly source: ClientSource;
}

/** A grant of a client as administrators see it, and the person whose it is. */
export interface ListedGrant
  extends Omit<Grant, "userId" | "clientId" | "resourceId" | "providerId" | "statusIndex"> {
  readonly user: ListedPerson;
  readonly client: ClientName;
  /** The service that its access tokens are for; `null`: this server's own API. */
  readonly service: { readonly key: string; readonly name: string } | null;
  /** Who vouches for it; `null`: the person allowed it. */
  readonly provider: { readonly key: string; readonly name: string } | null;
  /** When it last got tokens: with each refresh, so that nothing is written when they are used. */
  readonly lastUsedAt: Date;
  readonly revocationReason: string | null;
}

/** A user for whom a client can act, and where. */
interface ClientPerson extends ListedPerson {
  /** Live grants. */
  readonly devices: number;
  /** Names of the services that they are for. */
  readonly services: readonly string[];
  readonly since: Date;
}

/** Stands for this server's own API where services are named by their keys. No service has this key. */
const installationService = "installation";

type GrantListRequest = PageRequest<"createdAt"> & {
  readonly userId: string | undefined;
  readonly clientId: string | undefined;
  /** The key of a service, or `installationService`. */
  readonly service: string | undefined;
  /** `undefined`: both. */
  readonly state: "live" | "ended" | undefined;
  readonly now: Date;
};

/** Whom a provider vouches for, and to which client. */
interface Asserted {
  readonly userId: string;
  readonly clientId: string;
  readonly providerId: string;
}

/** A grant that has been revoked. */
type RevokedGrant = Pick<Grant, "id" | "userId" | "clientId">;

interface Revocation {
  readonly reason: RevocationReason;
  readonly at: Date;
}

/** What is known about a refresh token. Written by `redemptions.ts`, read by `token-requests.ts`. */
export interface RefreshToken {
  /** SHA-256 of the token. */
  readonly hash: Buffer;
  readonly grantId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When it was rotated, by the database's clock. A rotated token stays, so that its reuse can be recognised. */
  readonly usedAt: Date | null;
}

/** The refresh token that followed a rotated one. */
export interface Successor {
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  /** Since the one before it was rotated, by the database's clock. */
  readonly ageSeconds: number;
}

export const grantTable = defineTable<Grant>(
  "grants",
  {
    id: "id",
    userId: "user_id",
    clientId: "client_id",
    jkt: "jkt",
    deviceName: "device_name",
    resourceId: "resource_id",
    providerId: "provider_id",
    scopes: "scopes",
    authTime: "auth_time",
    amr: "amr",
    createdAt: "created_at",
    expiresAt: "expires_at",
    revokedAt: "revoked_at",
    statusIndex: "status_index",
  },
  { dates: ["authTime", "createdAt", "expiresAt", "revokedAt"] },
);

export const refreshTokenTable = defineTable<RefreshToken>("refresh_tokens", {
  hash: "hash",
  grantId: "grant_id",
  createdAt: "created_at",
  expiresAt: "expires_at",
  usedAt: "used_at",
});

/** The columns of what is shown, in the rows that a statement is given. */
const shownColumns =
  "position integer, grant_id uuid, now timestamptz, proof text, proof_ends float8, audience text";

/** What is shown, as one of these rows. */
function shownRow({ id, now, proof, service }: ShownAccess, position: number) {
  return {
    position,
    grant_id: id,
    now,
    proof: proof?.key ?? null,
    proof_ends: proof?.expiresAt ?? null,
    audience: service ?? null,
  };
}

/**
 * What decides over the rows of `shown`, and uses up their proofs: `active`, as far as the client may act, and `taken`.
 *
 * A proof that is over by the clock of the database may have been used and forgotten, so it is not new.
 */
const actSql = `
  active AS (
    SELECT w.position, g.user_id, ${grantTable.toJsonSql("g")} AS "grant", ${userTable.toJsonSql("u")} AS "user",
      CASE WHEN c.limited THEN ${new LinkedScopes("client_scopes", "client_id").select("c.id")} END AS ceiling,
      CASE WHEN r.id IS NOT NULL
        THEN json_build_object('enabled', r.enabled, 'allowsBearer', r.allows_bearer) END AS service,
      stops.apply AS stopped,
      g.revoked_at IS NULL AND g.expires_at > w.now AND u.enabled AND u.paused_at IS NULL AND stops.apply IS NULL
        AND (w.audience IS NULL OR r.enabled) AS may_act,
      w.proof, w.proof_ends,
      ${rulesForSql("u.id", "u.email")} AS rules
    FROM shown w JOIN grants g ON g.id = w.grant_id JOIN clients c ON c.id = g.client_id AND c.enabled AND c.trusted
      JOIN users u ON u.id = g.user_id LEFT JOIN resources r ON r.resource = w.audience,
      LATERAL (SELECT ${useStopSql("g", "c.id", "r.id")} AS apply OFFSET 0) AS stops
  ), taken AS (
    INSERT INTO dpop_replays (key, expires_at)
    SELECT proof, to_timestamp(proof_ends) FROM active
    WHERE may_act AND proof IS NOT NULL AND to_timestamp(proof_ends) > now()
    ON CONFLICT DO NOTHING RETURNING key
  )`;

/** The columns of an `ActedRow`, from `active` (`a`) and `taken` (`t`). */
const actedColumns = `a."grant", a."user", a.stopped, a.ceiling, a.service, a.rules, t.key IS NOT NULL AS "proofTaken"`;

const actAloneSql = `
  WITH shown AS (SELECT * FROM json_to_recordset($1::json) AS w (${shownColumns})), ${actSql}
  SELECT ${actedColumns}
  FROM shown w LEFT JOIN active a USING (position) LEFT JOIN taken t ON t.key = w.proof
  ORDER BY w.position`;

/** Who acts, read from a row; `undefined`: the client may not. */
function readActive(row: ActedRow): ActiveGrant | undefined {
  const { grant, user, stopped, service, ceiling, rules, proofTaken } = row;
  if (grant === null || stopped === false) return undefined;
  return {
    grant: grantTable.fromJson(grant),
    user: userTable.fromJson(user),
    stopped: stopped === true,
    service: service ?? undefined,
    ceiling,
    rules,
    proofTaken,
  };
}

/** Items that share a proof never come into the same statement: it would be new twice. */
function proofKeys({ proof }: ShownAccess): readonly string[] {
  return proof === undefined ? [] : [proof.key];
}

const pageColumns: PageColumns<"createdAt"> = {
  id: { sql: "g.id", type: "uuid" },
  sorts: { createdAt: { sql: "g.created_at", type: "timestamptz" } },
};

/** The newest refresh token is the last time that the grant was of use; a sub-select, so that only a page's rows ask for it. */
const listedSql = `${grantTable.without("userId", "clientId", "resourceId", "providerId", "revokedAt", "statusIndex").select("g")},
  coalesce(g.revoked_at, stop.ended_at) AS "revokedAt",
  coalesce(g.revocation_reason, CASE WHEN stop.ended_at IS NOT NULL THEN 'stopped' END) AS "revocationReason",
  json_build_object('id', u.id, 'email', u.email, 'name', u.name) AS user,
  json_build_object('id', c.id, 'name', c.name, 'source', c.source) AS client,
  CASE WHEN r.id IS NOT NULL THEN json_build_object('key', r.key, 'name', r.name) END AS service,
  CASE WHEN i.id IS NOT NULL THEN json_build_object('key', i.key, 'name', i.name) END AS provider,
  coalesce((SELECT t.created_at FROM refresh_tokens t WHERE t.grant_id = g.id ORDER BY t.created_at DESC LIMIT 1),
    g.created_at) AS "lastUsedAt"`;

const personColumns: PageColumns<"email"> = {
  id: { sql: "u.id", type: "uuid" },
  sorts: { email: { sql: "coalesce(u.email, '')", type: "text" } },
};

/** What a person has allowed is looked up for the rows of the page only. */
const allowedSql = `(SELECT json_build_object('devices', count(*), 'since', min(g.created_at),
    'services', coalesce(json_agg(DISTINCT r.name) FILTER (WHERE r.id IS NOT NULL), '[]'))
  FROM grants g LEFT JOIN resources r ON r.id = g.resource_id
  WHERE g.user_id = u.id AND g.client_id = ? AND ${isGrantLiveSql("g", "?")}) AS allowed`;

type AllowedRow = ListedPerson & {
  readonly allowed: Pick<ClientPerson, "devices" | "services"> & { readonly since: string };
};

/** A row of {@link actedColumns}. */
interface ActedRow extends Pick<ActiveGrant, "ceiling" | "rules" | "proofTaken"> {
  /** As `useStopSql` has it. */
  readonly stopped: boolean | null;
  readonly grant: object | null;
  readonly user: object;
  readonly service: NonNullable<ActiveGrant["service"]> | null;
}

export function createGrantStore(database: Database) {
  const grants = () => database("grants").select<Grant[]>(database.raw(grantTable.select()));
  const listed = () =>
    database("grants AS g")
      .join("users AS u", "u.id", "g.user_id")
      .join("clients AS c", "c.id", "g.client_id")
      .leftJoin("resources AS r", "r.id", "g.resource_id")
      .leftJoin("identity_providers AS i", "i.id", "g.provider_id")
      .joinRaw(`CROSS JOIN LATERAL ${firstStopSql("g")} AS stop`)
      .select<ListedGrant[]>(database.raw(listedSql));
  async function revoke(
    condition: {
      column: "id" | "user_id" | "client_id";
      values: readonly string[];
      until?: Date | undefined;
    },
    { reason, at }: { reason: RevocationReason; at: Date },
  ): Promise<readonly RevokedGrant[]> {
    const { column, values, until } = condition;
    const query = database("grants")
      .whereIn(column, [...values])
      .where({ revoked_at: null })
      .where("expires_at", ">", at);
    if (until !== undefined) void query.where("created_at", "<=", until);
    return await query
      .update({ revoked_at: at, revocation_reason: reason })
      .returning<RevokedGrant[]>(database.raw('id, user_id AS "userId", client_id AS "clientId"'));
  }

  return {
    async find(id: string): Promise<Grant | undefined> {
      const [grant] = await grants().where({ id });
      return grant;
    },
    /**
     * Everything that decides over a request with a grant, in one statement, which uses up its proof. `undefined` when the client may
     * not act: then nothing of the grant is good.
     */
    act: createBatches<ShownAccess, ActiveGrant | undefined>({
      async run(shown) {
        const statement = {
          name: "grant_act",
          text: actAloneSql,
          values: [JSON.stringify(shown.map(shownRow))],
        };
        const rows = await prepared<ActedRow>(database, statement);
        return rows.map(readActive);
      },
      keysOf: proofKeys,
    }),
    /** The grant of a refresh token, rotated or not. */
    async findByRefreshToken(hash: Buffer): Promise<Grant | undefined> {
      const ids = database("refresh_tokens").select("grant_id").where({ hash });
      const [grant] = await grants().whereIn("id", ids);
      return grant;
    },
    /** The grant that a provider's assertions about a person renew for a client, live or over; not a revoked one. */
    async findAsserted({ userId, clientId, providerId }: Asserted): Promise<Grant | undefined> {
      const [grant] = await grants().where({
        user_id: userId,
        client_id: clientId,
        provider_id: providerId,
        revoked_at: null,
      });
      return grant;
    },
    /** Returns whether this call is the one that revoked the grant. */
    async revoke({ id, reason, at }: { id: string; reason: RevocationReason; at: Date }): Promise<boolean> {
      const change = { revoked_at: at, revocation_reason: reason };
      return (await database("grants").where({ id, revoked_at: null }).update(change)) > 0;
    },
    /** Renames the device of a user's live grant. Returns whether there was one. */
    rename: async ({
      id,
      userId,
      deviceName,
    }: Pick<Grant, "id" | "userId" | "deviceName">): Promise<boolean> =>
      (await database("grants")
        .where({ id, user_id: userId, revoked_at: null })
        .update({ device_name: deviceName })) > 0,
    /** Whose these are. */
    async listPeopleOf(ids: readonly string[]): Promise<readonly Pick<User, "id" | "email">[]> {
      return await database("users")
        .select<Pick<User, "id" | "email">[]>("id", "email")
        .whereIn(
          "id",
          database("grants")
            .select("user_id")
            .whereIn("id", [...ids]),
        );
    },
    /** `q` is looked for in the people's names and addresses. */
    async list({
      userId,
      clientId,
      service,
      state,
      now,
      ...request
    }: GrantListRequest): Promise<Page<ListedGrant>> {
      const query = listed();
      if (userId !== undefined) void query.where("g.user_id", userId);
      if (clientId !== undefined) void query.where("g.client_id", clientId);
      if (service === installationService) void query.whereNull("g.resource_id");
      else if (service !== undefined)
        void query.whereRaw("g.resource_id = (SELECT id FROM resources WHERE key = ?)", [service]);
      if (state === "live") void query.whereRaw(isGrantLiveSql("g", "?"), [now]);
      if (state === "ended") void query.whereRaw(`NOT (${isGrantLiveSql("g", "?")})`, [now]);
      whereWords(query, "u.words", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    /** Whether a client has, or had, a grant of the person that is still known. */
    async hasAny({ userId, clientId }: Pick<Grant, "userId" | "clientId">): Promise<boolean> {
      const row: unknown = await database("grants")
        .first("id")
        .where({ user_id: userId, client_id: clientId });
      return row !== undefined;
    },
    /** Grants of a person that were revoked or stopped since then, the last one first, with when that was. */
    async listEndedSince({
      userId,
      since,
    }: {
      readonly userId: string;
      readonly since: Date;
    }): Promise<readonly (ListedGrant & { readonly endedAt: Date })[]> {
      const ended = await listed()
        .where("g.user_id", userId)
        .where("g.expires_at", ">", since)
        .whereRaw("coalesce(g.revoked_at, stop.ended_at) > ?", [since])
        .orderByRaw("coalesce(g.revoked_at, stop.ended_at) DESC")
        .limit(100);
      return ended.map((grant) => ({ ...grant, endedAt: grant.revokedAt ?? since }));
    },
    /** How many people are signed in with a client. */
    async countPeople({ clientId, now }: { readonly clientId: string; readonly now: Date }): Promise<number> {
      const row = await database("grants AS g")
        .where({ client_id: clientId })
        .whereRaw(isGrantLiveSql("g", "?"), [now])
        .countDistinct<{ count: string }[]>({ count: "user_id" })
        .first();
      return Number(row?.count ?? 0);
    },
    /** The people who are signed in with a client. `q` is looked for in their names and addresses. */
    async listPeople({
      clientId,
      now,
      ...request
    }: PageRequest<"email"> & { readonly clientId: string; readonly now: Date }): Promise<
      Page<ClientPerson>
    > {
      const live = database("grants AS g")
        .select("g.user_id")
        .where({ client_id: clientId })
        .whereRaw(isGrantLiveSql("g", "?"), [now]);
      const query = database("users AS u")
        .whereIn("u.id", live)
        .select({ id: "u.id", email: "u.email", name: "u.name" })
        .select(database.raw(allowedSql, [clientId, now]));
      whereWords(query, "u.words", request.q);
      const page = await selectPage<AllowedRow, "email">(query, { columns: personColumns, request });
      return {
        ...page,
        items: page.items.map(({ allowed: { since, ...allowed }, ...person }) => ({
          ...person,
          ...allowed,
          since: new Date(since),
        })),
      };
    },
    /** Revokes those of these that are live. Returns them. */
    revokeMany: ({
      ids,
      ...revocation
    }: Revocation & { readonly ids: readonly string[] }): Promise<readonly RevokedGrant[]> =>
      revoke({ column: "id", values: ids }, revocation),
    /** Revokes every live grant of a person, or those that began until a time. Returns them. */
    revokeAll: ({
      userId,
      until,
      ...revocation
    }: Revocation & { readonly userId: string; readonly until?: Date | undefined }): Promise<
      readonly RevokedGrant[]
    > => revoke({ column: "user_id", values: [userId], until }, revocation),
    /** Revokes every live grant of a client. Returns them. */
    revokeOfClient: ({
      clientId,
      ...revocation
    }: Revocation & { readonly clientId: string }): Promise<readonly RevokedGrant[]> =>
      revoke({ column: "client_id", values: [clientId] }, revocation),
  };
}
