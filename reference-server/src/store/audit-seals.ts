import { type Database, queryRows } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** One link of the chain over the audit trail. What the digests cover is defined in `audit/seal.ts`. */
export interface AuditSeal {
  /** 1, 2, 3 without gaps. */
  readonly id: number;
  /** One more than the last event id of the seal before. */
  readonly firstEventId: string;
  readonly lastEventId: string;
  readonly eventCount: number;
  readonly eventsDigest: Buffer;
  readonly previousDigest: Buffer;
  readonly digest: Buffer;
  /** Proves that the digest was made with the server's secret. */
  readonly mac: Buffer;
  readonly sealedAt: Date;
  /** Ids of events that the server did not record. */
  readonly unproven: readonly string[];
}

/** A line drawn through the audit trail: ids up to `lastId` were given out before it. */
export interface AuditFence {
  readonly lastId: string;
  /** The transactions that could still store one of those ids. */
  readonly writers: readonly string[];
}

/** The driver gives a `bigint` as text. */
type StoredSeal = Omit<AuditSeal, "id"> & { readonly id: number | string };

const table = defineTable<StoredSeal>("audit_seals", {
  id: "id",
  firstEventId: "first_event_id",
  lastEventId: "last_event_id",
  eventCount: "event_count",
  eventsDigest: "events_digest",
  previousDigest: "previous_digest",
  digest: "digest",
  mac: "mac",
  sealedAt: "sealed_at",
  unproven: "unproven",
});

/** A sequence is not transactional: its value covers every id given out, committed or not. */
const lastIdSql = `
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END::text AS "lastId" FROM audit_events_id_seq`;

/**
 * An insert locks the table before it takes an id, and holds the lock until its transaction ends. So a transaction with an id from
 * before the fence that holds no lock after the fence has ended.
 */
const holders = `
  FROM pg_locks
  WHERE locktype = 'relation' AND granted AND relation = 'audit_events'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;

const writersSql = `SELECT coalesce(array_agg(DISTINCT virtualtransaction), '{}') AS writers ${holders}`;

const settledSql = `SELECT NOT EXISTS (SELECT ${holders} AND virtualtransaction = ANY(?)) AS settled`;

export function createAuditSealStore(database: Database) {
  const seals = () => database("audit_seals").select<StoredSeal[]>(database.raw(table.select()));

  return {
    async last(): Promise<AuditSeal | undefined> {
      const [seal] = await seals().orderBy("id", "desc").limit(1);
      return seal && { ...seal, id: Number(seal.id) };
    },
    /** Seals after the one with this number, oldest first. */
    async list({ afterId, limit }: { afterId: number; limit: number }): Promise<readonly AuditSeal[]> {
      const rows = await seals().where("id", ">", String(afterId)).orderBy("id").limit(limit);
      return rows.map((seal) => ({ ...seal, id: Number(seal.id) }));
    },
    /** Returns whether the seal was stored; `false` when another process was first. */
    async insert(seal: AuditSeal): Promise<boolean> {
      const inserted: unknown[] = await database("audit_seals")
        .insert(table.toRow(seal))
        .onConflict()
        .ignore()
        .returning("id");
      return inserted.length > 0;
    },
    async drawFence(): Promise<AuditFence> {
      const [number] = await queryRows<{ lastId: string }>(database, lastIdSql);
      const [locks] = await queryRows<{ writers: string[] }>(database, writersSql);
      return { lastId: number?.lastId ?? "0", writers: locks?.writers ?? [] };
    },
    /** Whether every writer of the fence has ended, so that nothing can appear behind it any more. */
    async isSettled({ writers }: AuditFence): Promise<boolean> {
      if (writers.length === 0) return true;
      const [row] = await queryRows<{ settled: boolean }>(database, settledSql, [[...writers]]);
      return row?.settled === true;
    },
  };
}
