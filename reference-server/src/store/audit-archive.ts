import type { AuditSeal } from "./audit-seals.js";
import type { Database } from "./postgres/database.js";

/** The last archived and removed seal. The chain continues after it. */
interface ArchivedSeal extends Pick<AuditSeal, "id" | "lastEventId" | "digest"> {
  /** Proves that the server removed it, and no owner of the database. */
  readonly mac: Buffer;
}

interface ArchiveRow {
  seal_id: string;
  last_event_id: string;
  digest: Buffer;
  mac: Buffer;
}

export function createAuditArchiveStore(database: Database) {
  const archive = () => database<ArchiveRow>("audit_archive");

  return {
    async find(): Promise<ArchivedSeal | undefined> {
      const row = await archive().first();
      if (row === undefined) return undefined;
      const { seal_id: id, last_event_id: lastEventId, digest, mac } = row;
      return { id: Number(id), lastEventId, digest, mac };
    },
    /**
     * Moves the end on from where it was. Only then can the events and seals up to there be removed. Returns whether it
     * was there.
     */
    async advance(
      { id, lastEventId, digest, mac }: ArchivedSeal,
      { sealId }: { readonly sealId: number },
    ): Promise<boolean> {
      const row = { seal_id: String(id), last_event_id: lastEventId, digest, mac };
      if (sealId > 0)
        return (
          (await archive()
            .where({ seal_id: String(sealId) })
            .update(row)) > 0
        );
      const inserted: unknown[] = await archive().insert(row).onConflict().ignore().returning("seal_id");
      return inserted.length > 0;
    },
    /** Removes events, their words and seals up to the end. Returns the number of events. */
    async removeThrough({ id, lastEventId }: Pick<ArchivedSeal, "id" | "lastEventId">): Promise<number> {
      await database("audit_search").where("event_id", "<=", lastEventId).delete();
      await database("audit_seals").where("id", "<=", id).delete();
      return await database("audit_events").where("id", "<=", lastEventId).delete();
    },
  };
}
