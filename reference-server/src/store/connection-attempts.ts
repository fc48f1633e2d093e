import type { Database } from "./postgres/database.js";

/** One way through the browser to connect an account. */
export interface ConnectionAttempt {
  readonly id: string;
  readonly connectorId: string;
  readonly userId: string;
  /** The client that began it; `null`: the person did, on a page of this server. */
  readonly clientId: string | null;
  /** Of the third party. First what was asked for, then what the person left in. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When the person went to the third party. */
  readonly openedAt: Date | null;
  /** When the person came back. */
  readonly takenAt: Date | null;
  /** How it ended; `null` while it is open. */
  readonly outcome: AttemptOutcome | null;
}

export type AttemptOutcome =
  | { readonly state: "connected" }
  | { readonly state: "failed" /** A word for programs. */; readonly error: string };

interface AttemptRow {
  id: string;
  connector_id: string;
  user_id: string;
  client_id: string | null;
  scopes: string[];
  session_id: string | null;
  state_hash: Buffer | null;
  created_at: Date;
  expires_at: Date;
  opened_at: Date | null;
  taken_at: Date | null;
  outcome: "connected" | "failed" | null;
  error: string | null;
}

const insertSql = `
  INSERT INTO connection_attempts (id, user_id, client_id, scopes, created_at, expires_at, connector_id)
  SELECT ?::uuid, ?::uuid, ?::text, ?::text[], ?::timestamptz, ?::timestamptz, id
  FROM connectors WHERE id = ? AND enabled FOR KEY SHARE`;

export function createConnectionAttemptStore(database: Database) {
  const attempts = () => database<AttemptRow>("connection_attempts");

  return {
    /** Returns `false`, and stores nothing, when the connector is gone or disabled. */
    async insert({
      id,
      connectorId,
      userId,
      clientId,
      scopes,
      createdAt,
      expiresAt,
    }: Pick<
      ConnectionAttempt,
      "id" | "connectorId" | "userId" | "clientId" | "scopes" | "createdAt" | "expiresAt"
    >): Promise<boolean> {
      const values = [id, userId, clientId, [...scopes], createdAt, expiresAt, connectorId];
      const result: { rowCount: number } = await database.raw(insertSql, values as readonly string[]);
      return result.rowCount > 0;
    },
    /** An attempt of this person. */
    async find({
      id,
      userId,
    }: {
      readonly id: string;
      readonly userId: string;
    }): Promise<ConnectionAttempt | undefined> {
      const row = await attempts().first().where({ id, user_id: userId });
      return row && fromRow(row);
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
        .returning("*");
      return row && fromRow(row);
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
        .returning("*");
      return row && fromRow(row);
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

function fromRow(row: AttemptRow): ConnectionAttempt {
  const { outcome, error } = row;
  return {
    id: row.id,
    connectorId: row.connector_id,
    userId: row.user_id,
    clientId: row.client_id,
    scopes: row.scopes,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    openedAt: row.opened_at,
    takenAt: row.taken_at,
    outcome: outcome === "failed" ? { state: outcome, error: error ?? "" } : outcome && { state: outcome },
  };
}
