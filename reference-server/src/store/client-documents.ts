import type { Database } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** Where a client comes from whose id is the address of its metadata document. */
export interface ClientDocument {
  readonly clientId: string;
  /** The host of the address, in punycode, with its port unless that is 443. */
  readonly host: string;
  /** SHA-256 of the document that the client's row says. */
  readonly digest: Buffer;
  readonly etag: string | null;
  readonly fetchedAt: Date;
  /** Until then nobody asks for the document again. */
  readonly freshUntil: Date;
}

const table = defineTable<ClientDocument>("client_documents", {
  clientId: "client_id",
  host: "host",
  digest: "digest",
  etag: "etag",
  fetchedAt: "fetched_at",
  freshUntil: "fresh_until",
});

export function createClientDocumentStore(database: Database) {
  return {
    async find(clientId: string): Promise<ClientDocument | undefined> {
      const [document] = await database("client_documents")
        .select<ClientDocument[]>(database.raw(table.select()))
        .where({ client_id: clientId });
      return document;
    },
    /** Inserts or replaces what is known about a client's document. */
    async save(document: ClientDocument): Promise<void> {
      await database("client_documents").insert(table.toRow(document)).onConflict("client_id").merge();
    },
  };
}
