import type { AuditArchiveStore } from "../audit-archive.js";
import type { Database } from "./database.js";

interface ArchiveRow {
  seal_id: string;
  last_event_id: string;
  digest: Buffer;
  mac: Buffer;
}

export function createAuditArchiveStore(database: Database): AuditArchiveStore {
  const archive = () => database<ArchiveRow>("audit_archive");
  return {
    async find() {
      const row = await archive().first();
      if (row === undefined) return undefined;
      const { seal_id: id, last_event_id: lastEventId, digest, mac } = row;
      return { id: Number(id), lastEventId, digest, mac };
    },
    async advance({ id, lastEventId, digest, mac }, { sealId }) {
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
    async removeThrough({ id, lastEventId }) {
      await database("audit_search").where("event_id", "<=", lastEventId).delete();
      await database("audit_seals").where("id", "<=", id).delete();
      return await database("audit_events").where("id", "<=", lastEventId).delete();
    },
  };
}
