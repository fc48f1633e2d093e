import type { SignInAttempt, SignInAttemptStore } from "../sign-in-attempts.js";
import type { Database } from "./database.js";

interface AttemptRow {
  state_hash: Buffer;
  browser_hash: Buffer;
  provider_id: string;
  authorization_request_id: string | null;
  return_to: string | null;
  asks_anew: boolean;
  created_at: Date;
  expires_at: Date;
}

const insertSql = `
  INSERT INTO sign_in_attempts
    (state_hash, browser_hash, authorization_request_id, return_to, asks_anew, created_at, expires_at, provider_id)
  SELECT ?::bytea, ?::bytea, ?::uuid, ?::text, ?::boolean, ?::timestamptz, ?::timestamptz, id
  FROM identity_providers WHERE id = ? AND enabled FOR KEY SHARE`;

export function createSignInAttemptStore(database: Database): SignInAttemptStore {
  const attempts = () => database<AttemptRow>("sign_in_attempts");

  return {
    async insert(attempt) {
      const { stateHash, browserHash, providerId, authorizationRequestId, returnTo, asksAnew } = attempt;
      const values = [stateHash, browserHash, authorizationRequestId, returnTo, asksAnew];
      const result: { rowCount: number } = await database.raw(insertSql, [
        ...values,
        attempt.createdAt,
        attempt.expiresAt,
        providerId,
      ]);
      return result.rowCount > 0;
    },
    async take({ stateHash, browserHash, now }) {
      const [row] = await attempts()
        .where({ state_hash: stateHash, browser_hash: browserHash })
        .where("expires_at", ">", now)
        .delete()
        .returning<AttemptRow[]>("*");
      return row && fromRow(row);
    },
  };
}

function fromRow(row: AttemptRow): SignInAttempt {
  return {
    stateHash: row.state_hash,
    browserHash: row.browser_hash,
    providerId: row.provider_id,
    authorizationRequestId: row.authorization_request_id,
    returnTo: row.return_to,
    asksAnew: row.asks_anew,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
