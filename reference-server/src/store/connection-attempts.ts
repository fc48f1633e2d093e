import type { Database } from "./postgres/database.js";
import { defineTable, insertIf } from "./postgres/table.js";

/** One way through the browser to connect an account. */
export interface ConnectionAttempt {
  readonly id: string;
  readonly connectorId: string;
  readonly userId: string;
  /** The client that began it; `null`: the person did, on a page of this server. */
  readonly clientId: string | null;
  /** Scopes of the third party: first the requested ones, then those that the person kept. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When the person went to the third party. */
  readonly openedAt: Date | null;
  /** When the person came back. */
  readonly takenAt: Date | null;
  /** The outcome; `null` while it is open. */
  readonly outcome: AttemptOutcome | null;
}

type AttemptOutcome =
  | { readonly state: "connected" }
  | { readonly state: "failed" /** A word for programs. */; readonly error: string };

type StoredAttempt = Omit<ConnectionAttempt, "outcome"> & {
  readonly outcome: AttemptOutcome["state"] | null;
  readonly error: string | null;
};

const table = defineTable<StoredAttempt>("connection_attempts", {
  id: "id",
  connectorId: "connector_id",
  userId: "user_id",
  clientId: "client_id",
  scopes: "scopes",
  createdAt: "created_at",
  expiresAt: "expires_at",
  openedAt: "opened_at",
  takenAt: "taken_at",
  outcome: "outcome",
  error: "error",
});

export function createConnectionAttemptStore(database: Database) {
  const attempts = () => database("connection_attempts");
  const columns = database.raw(table.select());

  return {
    /** Returns `false`, and stores nothing, when the connector is gone or disabled. */
    async insert(
      attempt: Pick<
        ConnectionAttempt,
        "id" | "connectorId" | "userId" | "clientId" | "scopes" | "createdAt" | "expiresAt"
      >,
    ): Promise<boolean> {
      return await insertIf(database, "connection_attempts", {
        row: table.toRow(attempt),
        from: "connectors WHERE id = ? AND enabled FOR KEY SHARE",
        values: [attempt.connectorId],
      });
    },
    /** An attempt of this person. */
    async find({
      id,
      userId,
    }: {
      readonly id: string;
      readonly userId: string;
    }): Promise<ConnectionAttempt | undefined> {
      const [row] = await attempts().select<StoredAttempt[]>(columns).where({ id, user_id: userId });
      return row && fromStored(row);
    },
    /**
     * Binds an attempt to the browser session and the `state` that goes to the third party, once. `undefined` when it is
     * not this person's, over, or open already.
     */
    async open({
      id,
      userId,
      sessionId,
      stateHash,
      scopes,
      now,
    }: {
      readonly id: string;
      readonly userId: string;
      readonly sessionId: string;
      /** SHA-256 of `state`. */
      readonly stateHash: Buffer;
      readonly scopes: readonly string[];
      readonly now: Date;
    }): Promise<ConnectionAttempt | undefined> {
      const [row] = await attempts()
        .where({ id, user_id: userId, opened_at: null, outcome: null })
        .where("expires_at", ">", now)
        .update({ session_id: sessionId, state_hash: stateHash, scopes: [...scopes], opened_at: now })
        .returning<StoredAttempt[]>(columns);
      return row && fromStored(row);
    },
    /** Hands the attempt to exactly one caller, and only to the session and the person that opened it. */
    async take({
      stateHash,
      sessionId,
      userId,
      now,
    }: {
      readonly stateHash: Buffer;
      readonly sessionId: string;
      readonly userId: string;
      readonly now: Date;
    }): Promise<ConnectionAttempt | undefined> {
      const [row] = await attempts()
        .where({ state_hash: stateHash, session_id: sessionId, user_id: userId })
        .where({ taken_at: null, outcome: null })
        .where("expires_at", ">", now)
        .update({ taken_at: now })
        .returning<StoredAttempt[]>(columns);
      return row && fromStored(row);
    },
    /** Ends an attempt; it cannot be opened or taken any more. Returns whether this call is the one that ended it. */
    async conclude({
      id,
      outcome,
    }: {
      readonly id: string;
      readonly outcome: AttemptOutcome;
    }): Promise<boolean> {
      const error = outcome.state === "failed" ? outcome.error : null;
      const changed = await attempts().where({ id, outcome: null }).update({ outcome: outcome.state, error });
      return changed > 0;
    },
  };
}

function fromStored({ outcome, error, ...attempt }: StoredAttempt): ConnectionAttempt {
  if (outcome === "failed") return { ...attempt, outcome: { state: outcome, error: error ?? "" } };
  return { ...attempt, outcome: outcome && { state: outcome } };
}
