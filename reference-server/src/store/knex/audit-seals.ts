import type { AuditSeal, AuditSealStore } from "../audit-seals.js";
import type { Database } from "./database.js";

interface SealRow {
  id: string;
  first_event_id: string;
  last_event_id: string;
  event_count: number;
  events_digest: Buffer;
  previous_digest: Buffer;
  digest: Buffer;
  mac: Buffer;
  sealed_at: Date;
  unproven: string[] | null;
}

/** Reading a sequence is outside of any transaction: it is what was given out, committed or not. */
const lastIdSql = `
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END::text AS "lastId" FROM audit_events_id_seq`;

/** One seal a second at most. */
const olderSql = `
  SELECT EXISTS (SELECT FROM audit_seals
    WHERE id > (SELECT max(id) FROM audit_seals) - 100000 AND unproven IS NULL AND sealed_at > ?) AS older`;

/**
 * Whoever inserts takes its lock on the table before it takes an id, and holds it until the transaction ends. So
 * whoever has an id from before the fence and is not among the lock holders after it has ended.
 */
const holders = `
  FROM pg_locks
  WHERE locktype = 'relation' AND granted AND relation = 'audit_events'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;
const writersSql = `SELECT coalesce(array_agg(DISTINCT virtualtransaction), '{}') AS writers ${holders}`;
const settledSql = `SELECT NOT EXISTS (SELECT ${holders} AND virtualtransaction = ANY(?)) AS settled`;

export function createAuditSealStore(database: Database): AuditSealStore {
  const seals = () => database<SealRow>("audit_seals");
  return {
    async last() {
      const row = await seals().first().orderBy("id", "desc");
      return row && fromRow(row);
    },
    async list({ afterId, limit }) {
      const rows = await seals().where("id", ">", String(afterId)).orderBy("id").limit(limit);
      return rows.map(fromRow);
    },
    async insert(seal) {
      const rows: unknown[] = await seals().insert(toRow(seal)).onConflict().ignore().returning("id");
      return rows.length > 0;
    },
    async hasOlderSince(since) {
      const result: { rows: { older: boolean }[] } = await database.raw(olderSql, [since]);
      return result.rows[0]?.older === true;
    },
    async drawFence() {
      const numbers: { rows: { lastId: string }[] } = await database.raw(lastIdSql);
      const locks: { rows: { writers: string[] }[] } = await database.raw(writersSql);
      return { lastId: numbers.rows[0]?.lastId ?? "0", writers: locks.rows[0]?.writers ?? [] };
    },
    async isSettled({ writers }) {
      if (writers.length === 0) return true;
      const result: { rows: { settled: boolean }[] } = await database.raw(settledSql, [[...writers]]);
      return result.rows[0]?.settled === true;
    },
  };
}

function fromRow(row: SealRow): AuditSeal {
  return {
    id: Number(row.id),
    firstEventId: row.first_event_id,
    lastEventId: row.last_event_id,
    eventCount: row.event_count,
    eventsDigest: row.events_digest,
    previousDigest: row.previous_digest,
    digest: row.digest,
    mac: row.mac,
    sealedAt: row.sealed_at,
    unproven: row.unproven,
  };
}

function toRow(seal: AuditSeal): SealRow {
  return {
    id: String(seal.id),
    first_event_id: seal.firstEventId,
    last_event_id: seal.lastEventId,
    event_count: seal.eventCount,
    events_digest: seal.eventsDigest,
    previous_digest: seal.previousDigest,
    digest: seal.digest,
    mac: seal.mac,
    sealed_at: seal.sealedAt,
    unproven: seal.unproven === null ? null : [...seal.unproven],
  };
}
