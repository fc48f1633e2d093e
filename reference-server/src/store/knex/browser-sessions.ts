import type { BrowserSession, BrowserSessionStore } from "../browser-sessions.js";
import type { Database } from "./database.js";
import { createSessionListStore } from "./session-list.js";

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

export function createBrowserSessionStore(database: Database): BrowserSessionStore {
  const sessions = () => database<SessionRow>("browser_sessions");

  return {
    ...createSessionListStore(database),

    async findLive(tokenHash, now) {
      const row = await sessions()
        .first()
        .where({ token_hash: tokenHash })
        .where("expires_at", ">", now)
        .whereIn("provider_id", database("identity_providers").select("id").where({ enabled: true }));
      return row && fromRow(row);
    },
    async insert(session, tokenHash) {
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
    async listLive({ userId, now, limit }) {
      const rows = await sessions()
        .where({ user_id: userId })
        .where("expires_at", ">", now)
        .orderBy("signed_in_at", "desc")
        .limit(limit);
      return rows.map(fromRow);
    },
    async removeAll(userId) {
      const rows = await sessions().where({ user_id: userId }).delete().returning("id");
      return rows.map(({ id }) => id);
    },
    remove: async ({ id, userId }) => (await sessions().where({ id, user_id: userId }).delete()) > 0,
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
