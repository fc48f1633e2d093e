import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import type { Database } from "./postgres/database.js";

/** A person signed in in one browser. */
export interface BrowserSession {
  readonly id: string;
  readonly userId: string;
  readonly providerId: string;
  /** When the provider says that it authenticated the person, long before the sign-in here perhaps; `null`: it does not say. */
  readonly authTime: Date | null;
  /** When the provider was told to authenticate the person anew, for this session; `null`: it was not. */
  readonly askedAnewAt: Date | null;
  /** How the provider authenticated the person (RFC 8176); empty when it does not say. */
  readonly amr: readonly string[];
  readonly signedInAt: Date;
  readonly expiresAt: Date;
  /** What the browser called itself; `null` when it did not say. */
  readonly userAgent: string | null;
}

/** Whom something belongs to, in a list. */
export interface ListedPerson {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
}

/** A browser session as administrators see it. */
export interface ListedSession extends Omit<BrowserSession, "userId" | "providerId"> {
  readonly user: ListedPerson;
  readonly provider: { readonly key: string; readonly name: string };
}

export type SessionListRequest = PageRequest<"signedInAt"> & {
  readonly userId: string | undefined;
  /** Key of the identity provider. */
  readonly provider: string | undefined;
  readonly now: Date;
};

/** A session that has been removed. */
export type RemovedSession = Pick<BrowserSession, "id" | "userId">;

interface SessionRow {
  id: string;
  token_hash: Buffer;
  user_id: string;
  provider_id: string;
  auth_time: Date | null;
  asked_anew_at: Date | null;
  amr: string[];
  signed_in_at: Date;
  expires_at: Date;
  user_agent: string | null;
}

const pageColumns: PageColumns<"signedInAt"> = {
  id: { sql: "s.id", type: "uuid" },
  sorts: { signedInAt: { sql: "s.signed_in_at", type: "timestamptz" } },
};

const listedSql = `s.id, s.auth_time AS "authTime", s.amr, s.signed_in_at AS "signedInAt", s.expires_at AS "expiresAt",
  s.user_agent AS "userAgent", json_build_object('id', u.id, 'email', u.email, 'name', u.name) AS user,
  json_build_object('key', i.key, 'name', i.name) AS provider`;

export function createBrowserSessionStore(database: Database) {
  const sessions = () => database<SessionRow>("browser_sessions");

  return {
    /** The session behind the SHA-256 of a cookie's token, unless it has ended or its provider is disabled. */
    async findLive(tokenHash: Buffer, now: Date): Promise<BrowserSession | undefined> {
      const row = await sessions()
        .first()
        .where({ token_hash: tokenHash })
        .where("expires_at", ">", now)
        .whereIn("provider_id", database("identity_providers").select("id").where({ enabled: true }));
      return row && fromRow(row);
    },
    async insert(session: BrowserSession, tokenHash: Buffer): Promise<void> {
      await sessions().insert({
        id: session.id,
        token_hash: tokenHash,
        user_id: session.userId,
        provider_id: session.providerId,
        auth_time: session.authTime,
        asked_anew_at: session.askedAnewAt,
        amr: [...session.amr],
        signed_in_at: session.signedInAt,
        expires_at: session.expiresAt,
        user_agent: session.userAgent,
      });
    },
    /** The live sessions of a person, newest first. */
    async listLive({
      userId,
      now,
      limit,
    }: {
      userId: string;
      now: Date;
      limit: number;
    }): Promise<readonly BrowserSession[]> {
      const rows = await sessions()
        .where({ user_id: userId })
        .where("expires_at", ">", now)
        .orderBy("signed_in_at", "desc")
        .limit(limit);
      return rows.map(fromRow);
    },
    /** Removes every session of a person and returns their ids. */
    async removeAll(userId: string): Promise<readonly string[]> {
      const rows = await sessions().where({ user_id: userId }).delete().returning("id");
      return rows.map(({ id }) => id);
    },
    /** Returns whether the session was there, and that person's. */
    remove: async ({ id, userId }: { id: string; userId: string }): Promise<boolean> =>
      (await sessions().where({ id, user_id: userId }).delete()) > 0,
    /** Those that are live; `q` is looked for in the people's names and addresses. */
    async list({ userId, provider, now, ...request }: SessionListRequest): Promise<Page<ListedSession>> {
      const query = database("browser_sessions AS s")
        .join("users AS u", "u.id", "s.user_id")
        .join("identity_providers AS i", "i.id", "s.provider_id")
        .select(database.raw(listedSql))
        .where("s.expires_at", ">", now)
        .where("i.enabled", true);
      if (userId !== undefined) void query.where("s.user_id", userId);
      if (provider !== undefined) {
        void query.where(
          "s.provider_id",
          database("identity_providers").select("id").where({ key: provider }),
        );
      }
      whereWords(query, "u.words", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    /** How many live ones began at a provider. */
    async countLive({
      providerId,
      now,
    }: {
      readonly providerId: string;
      readonly now: Date;
    }): Promise<number> {
      const [row] = await database("browser_sessions")
        .where({ provider_id: providerId })
        .where("expires_at", ">", now)
        .count<{ count: string }[]>();
      return Number(row?.count);
    },
    /** Removes these, whoever they belong to. Returns those that were there. */
    async removeMany(ids: readonly string[]): Promise<readonly RemovedSession[]> {
      const rows = await database("browser_sessions")
        .whereIn("id", [...ids])
        .delete()
        .returning<{ id: string; user_id: string }[]>(["id", "user_id"]);
      return rows.map((row) => ({ id: row.id, userId: row.user_id }));
    },
  };
}

function fromRow(row: SessionRow): BrowserSession {
  return {
    id: row.id,
    userId: row.user_id,
    providerId: row.provider_id,
    authTime: row.auth_time,
    askedAnewAt: row.asked_anew_at,
    amr: row.amr,
    signedInAt: row.signed_in_at,
    expiresAt: row.expires_at,
    userAgent: row.user_agent,
  };
}
