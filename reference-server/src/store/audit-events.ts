/** One row of the append-only audit trail, before the database numbers it. */
export interface AuditRow {
  readonly at: Date;
  readonly type: string;
  readonly version: number;
  readonly outcome: AuditOutcome;
  readonly actorType: "user" | "client" | "operator" | "system";
  readonly actorId: string | null;
  readonly subject: string | null;
  readonly clientId: string | null;
  readonly requestId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export type AuditOutcome = "success" | "denied" | "failed";

/** A stored row, exactly as the database has it. */
export interface AuditRecord extends Omit<AuditRow, "at"> {
  /** Decimal digits. Ids grow, but with gaps: what is rolled back leaves one. */
  readonly id: string;
  /** UTC with microseconds, `2026-11-20T12:00:00.000000Z`. */
  readonly at: string;
}

/** Which rows, in the order of their ids. */
export interface AuditRange {
  /** Only rows after this id. */
  readonly afterId: string;
  /** Only rows up to and including this id. */
  readonly throughId?: string;
  readonly from?: Date;
  /** Exclusive. */
  readonly until?: Date;
  readonly limit: number;
}

/** What an audit search asks for; every condition must hold. */
export interface AuditFilter {
  readonly from?: Date;
  /** Exclusive. */
  readonly until?: Date;
  /** Any of these. */
  readonly types?: readonly string[];
  readonly actorId?: string;
  readonly subject?: string;
  readonly clientId?: string;
  readonly outcome?: AuditOutcome;
}

/** Makes what proves that this server recorded a row. The store asks it for every row that it appends. */
export type StampEvent = (row: AuditRow) => Buffer;

/** What says whether the server recorded a row. */
export interface EventProof {
  readonly id: string;
  /** `null`: recorded by a version that made none, or by somebody else. */
  readonly mac: Buffer | null;
  /** Another row came before it with the same proof. */
  readonly copied: boolean;
}

export interface AuditEventStore {
  append(row: AuditRow): Promise<void>;
  /** The same for many rows with one statement; they are numbered in this order. */
  appendAll(rows: readonly AuditRow[]): Promise<void>;
  /** Rows of a range, oldest first. */
  read(range: AuditRange): Promise<readonly AuditRecord[]>;
  /** The proofs of a range of ids, in their order. */
  readProofs(range: { afterId: string; throughId: string }): Promise<readonly EventProof[]>;
  /** The smallest and the largest id of a time range; `undefined` when nothing is in it. */
  findBounds(time: {
    from?: Date;
    until?: Date;
  }): Promise<{ readonly firstId: string; readonly lastId: string } | undefined>;
}
