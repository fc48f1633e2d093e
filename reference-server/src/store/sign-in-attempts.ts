import type { Database } from "./postgres/database.js";

/** One way to a provider and back. Knowing the row does not help without the browser's own secret. */
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
  /** Whether the provider is told to authenticate the person anew. */
  readonly asksAnew: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

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

export function createSignInAttemptStore(database: Database) {
  const attempts = () => database<AttemptRow>("sign_in_attempts");

  return {
    /** Returns `false`, and stores nothing, when the provider is gone or disabled. */
    async insert(attempt: SignInAttempt): Promise<boolean> {
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
