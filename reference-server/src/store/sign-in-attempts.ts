import type { Database } from "./postgres/database.js";
import { defineTable, insertIf } from "./postgres/table.js";

/** One round trip to a provider. The row is useless without the browser's own secret. */
export interface SignInAttempt {
  /** SHA-256 of `state`. */
  readonly stateHash: Buffer;
  /** SHA-256 of the secret in the browser's cookie. */
  readonly browserHash: Buffer;
  readonly providerId: string;
  /** The authorization request to continue with. */
  readonly authorizationRequestId: string | null;
  /** The page of this server to continue with; without a request and a page it is the home page. */
  readonly returnTo: string | null;
  /** Whether the provider is asked to authenticate anew. */
  readonly asksAnew: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const table = defineTable<SignInAttempt>("sign_in_attempts", {
  stateHash: "state_hash",
  browserHash: "browser_hash",
  providerId: "provider_id",
  authorizationRequestId: "authorization_request_id",
  returnTo: "return_to",
  asksAnew: "asks_anew",
  createdAt: "created_at",
  expiresAt: "expires_at",
});

export function createSignInAttemptStore(database: Database) {
  return {
    /** Returns `false`, and stores nothing, when the provider is gone or disabled. */
    async insert(attempt: SignInAttempt): Promise<boolean> {
      return await insertIf(database, "sign_in_attempts", {
        row: table.toRow(attempt),
        from: "identity_providers WHERE id = ? AND enabled FOR KEY SHARE",
        values: [attempt.providerId],
      });
    },
    /** Hands the attempt to exactly one caller, and only to the browser that began it. */
    async take({
      stateHash,
      browserHash,
      now,
    }: {
      stateHash: Buffer;
      browserHash: Buffer;
      now: Date;
    }): Promise<SignInAttempt | undefined> {
      const [attempt] = await database("sign_in_attempts")
        .where({ state_hash: stateHash, browser_hash: browserHash })
        .where("expires_at", ">", now)
        .delete()
        .returning<SignInAttempt[]>(database.raw(table.select()));
      return attempt;
    },
  };
}
