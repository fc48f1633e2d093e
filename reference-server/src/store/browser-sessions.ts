import type { User } from "./users.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import type { Database } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** A person signed in in one browser. */
export interface BrowserSession {
  readonly id: string;
  readonly userId: string;
  readonly providerId: string;
  /** When the provider authenticated the user, which may be long before the sign-in here; `null`: unknown. */
  readonly authTime: Date | null;
  /** When the provider was asked to authenticate anew for this session; `null`: it was not. */
  readonly askedAnewAt: Date | null;
  /** How the provider authenticated the user (RFC 8176); empty when unknown. */
  readonly amr: readonly string[];
  readonly signedInAt: Date;
  readonly expiresAt: Date;
  /** `null` when the browser sent none. */
  readonly userAgent: string | null;
}

/** When a session was last of use, to {@link usedSeconds}: more would be a write for each page. */
export interface LastUse {
  readonly lastUsedAt: Date;
}

const usedSeconds = 600;
const lastUsedSql = (alias: string) =>
  `coalesce(${alias}.last_used_at, ${alias}.signed_in_at) AS "lastUsedAt"`;

/** Whom something belongs to, in a list. */
export interface ListedPerson {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
}

/** A browser session as administrators see it. */
export interface ListedSession extends Omit<BrowserSession, "userId" | "providerId">, LastUse {
  readonly user: ListedPerson;
  readonly provider: { readonly key: string; readonly name: string };
}

type SessionListRequest = PageRequest<"signedInAt"> & {
  readonly userId: string | undefined;
  /** Key of the identity provider. */
  readonly provider: string | undefined;
  readonly now: Date;
};

/** A session that has been removed. */
export type RemovedSession = Pick<BrowserSession, "id" | "userId">;

/** Sessions that began at a provider: of one session there, of one person, or both. */
export type ProviderSessions = { readonly providerId: string } & (
  | { readonly sid: string; readonly userId?: string | undefined }
  | { readonly sid?: string | undefined; readonly userId: string }
);

const table = defineTable<BrowserSession>("browser_sessions", {
  id: "id",
  userId: "user_id",
  providerId: "provider_id",
  authTime: "auth_time",
  askedAnewAt: "asked_anew_at",
  amr: "amr",
  signedInAt: "signed_in_at",
  expiresAt: "expires_at",
  userAgent: "user_agent",
});

const pageColumns: PageColumns<"signedInAt"> = {
  id: { sql: "s.id", type: "uuid" },
  sorts: { signedInAt: { sql: "s.signed_in_at", type: "timestamptz" } },
};

const listedSql = `${table.without("userId", "providerId").select("s")}, ${lastUsedSql("s")},
  json_build_object('id', u.id, 'email', u.email, 'name', u.name) AS user,
  json_build_object('key', i.key, 'name', i.name) AS provider`;

export function createBrowserSessionStore(database: Database) {
  const sessions = () => database("browser_sessions");
  const standing = () => database("users").select("id").where({ enabled: true, paused_at: null });
  const selected = () => sessions().select<BrowserSession[]>(database.raw(table.select()));
  const used = async ({ id, signedInAt }: BrowserSession, now: Date): Promise<void> => {
    const before = new Date(now.getTime() - usedSeconds * 1000);
    if (signedInAt > before) return;
    await sessions()
      .where({ id })
      .whereRaw("coalesce(last_used_at, signed_in_at) <= ?", [before])
      .update({ last_used_at: now });
  };

  return {
    /**
     * The session behind the SHA-256 of a cookie's token, unless it has ended, its provider or person is disabled, or the person is
     * paused.
     */
    async findLive(tokenHash: Buffer, now: Date): Promise<BrowserSession | undefined> {
      const [session] = await selected()
        .where({ token_hash: tokenHash })
        .where("expires_at", ">", now)
        .whereIn("provider_id", database("identity_providers").select("id").where({ enabled: true }))
        .whereIn("user_id", standing());
      if (session !== undefined) await used(session, now);
      return session;
    },
    /** @param providerSid - what the provider calls its own session, for its logout tokens; `null`: it does not say */
    async insert(
      session: BrowserSession,
      tokenHash: Buffer,
      providerSid: string | null = null,
    ): Promise<void> {
      const secrets = { token_hash: tokenHash, provider_sid: providerSid };
      await sessions().insert({ ...table.toRow(session), ...secrets });
    },
    /** Whose sessions came from this session of a provider. */
    async findUserOf({
      providerId,
      sid,
    }: {
      readonly providerId: string;
      readonly sid: string;
    }): Promise<string | undefined> {
      const row = await sessions()
        .first<{ user_id: string } | undefined>("user_id")
        .where({ provider_id: providerId, provider_sid: sid });
      return row?.user_id;
    },
    /** Whether a person has a session that began at a provider after a time. */
    async beganSince({
      providerId,
      userId,
      since,
    }: {
      readonly providerId: string;
      readonly userId: string;
      readonly since: Date;
    }): Promise<boolean> {
      const row: unknown = await sessions()
        .first("id")
        .where({ provider_id: providerId, user_id: userId })
        .where("signed_in_at", ">", since);
      return row !== undefined;
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
    }): Promise<readonly (BrowserSession & LastUse)[]> {
      return await sessions()
        .select<(BrowserSession & LastUse)[]>(
          database.raw(`${table.select()}, ${lastUsedSql("browser_sessions")}`),
        )
        .where({ user_id: userId })
        .where("expires_at", ">", now)
        .orderBy("signed_in_at", "desc")
        .limit(limit);
    },
    /** The sessions that began at a provider, until a time: in this session there (`sid`), or of this person. */
    async listOfProvider(
      { providerId, sid, userId }: ProviderSessions,
      until?: Date,
    ): Promise<readonly RemovedSession[]> {
      const query = sessions().select<RemovedSession[]>({ id: "id", userId: "user_id" });
      void query.where({ provider_id: providerId });
      if (sid !== undefined) void query.where({ provider_sid: sid });
      if (userId !== undefined) void query.where({ user_id: userId });
      if (until !== undefined) void query.where("signed_in_at", "<=", until);
      return await query;
    },
    /** Removes every session of a person and returns their ids. */
    async removeAll(userId: string): Promise<readonly string[]> {
      const rows = await sessions().where({ user_id: userId }).delete().returning<{ id: string }[]>("id");
      return rows.map(({ id }) => id);
    },
    /** Whose these are. */
    async listPeopleOf(ids: readonly string[]): Promise<readonly Pick<User, "id" | "email">[]> {
      return await database("users")
        .select<Pick<User, "id" | "email">[]>("id", "email")
        .whereIn(
          "id",
          sessions()
            .select("user_id")
            .whereIn("id", [...ids]),
        );
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
    /** Removes these sessions, of any user. Returns those that existed. */
    async removeMany(ids: readonly string[]): Promise<readonly RemovedSession[]> {
      return await sessions()
        .whereIn("id", [...ids])
        .delete()
        .returning<RemovedSession[]>(database.raw('id, user_id AS "userId"'));
    },
  };
}
