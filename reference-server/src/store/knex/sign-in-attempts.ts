import type { SignInAttempt, SignInAttemptStore } from "../sign-in-attempts.js";
import type { Database } from "./database.js";

interface AttemptRow {
  state_hash: Buffer;
  browser_hash: Buffer;
  provider_id: string;
  authorization_request_id: string | null;
  return_to: string | null;
  created_at: Date;
  expires_at: Date;
}

export function createSignInAttemptStore(database: Database): SignInAttemptStore {
  const attempts = () => database<AttemptRow>("sign_in_attempts");

  return {
    async insert(attempt) {
      await attempts().insert({
        state_hash: attempt.stateHash,
        browser_hash: attempt.browserHash,
        provider_id: attempt.providerId,
        authorization_request_id: attempt.authorizationRequestId,
        return_to: attempt.returnTo,
        created_at: attempt.createdAt,
        expires_at: attempt.expiresAt,
      });
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
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
