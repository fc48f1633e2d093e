import { type Client, clientTable } from "./clients.js";
import type { Database } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** The metadata document of a client whose id is its address. */
export interface ClientDocument {
  readonly clientId: string;
  /** The host of the address, in punycode, with its port unless that is 443. */
  readonly host: string;
  /** SHA-256 of the document that the client's row is from. */
  readonly digest: Buffer;
  readonly etag: string | null;
  readonly fetchedAt: Date;
  /** Until then the document is not fetched again. */
  readonly freshUntil: Date;
  /** Until then the client's row is valid, even while the document cannot be fetched. */
  readonly countsUntil: Date;
}

/** A client as of its fetched document. */
export interface DocumentedClient {
  readonly client: Client;
  readonly document: ClientDocument;
}

const table = defineTable<ClientDocument>("client_documents", {
  clientId: "client_id",
  host: "host",
  digest: "digest",
  etag: "etag",
  fetchedAt: "fetched_at",
  freshUntil: "fresh_until",
  countsUntil: "counts_until",
});

const foundSql = `${table.select("d", "document.")}, ${clientTable.select("c", "client.")}`;

export function createClientDocumentStore(database: Database) {
  return {
    async find(clientId: string): Promise<DocumentedClient | undefined> {
      const [row] = await database("client_documents AS d")
        .join("clients AS c", "c.id", "d.client_id")
        .select<object[]>(database.raw(foundSql))
        .where("d.client_id", clientId);
      return (
        row && { client: clientTable.fromRow(row, "client."), document: table.fromRow(row, "document.") }
      );
    },
    /** Postpones the next fetch of a document. */
    async extend(clientId: string, freshUntil: Date): Promise<void> {
      await database("client_documents").where({ client_id: clientId }).update({ fresh_until: freshUntil });
    },
    /** Invalidates a document, unless another process has stored a newer one meanwhile. */
    async withdraw({ clientId, fetchedAt }: ClientDocument, at: Date): Promise<void> {
      await database("client_documents")
        .where({ client_id: clientId, fetched_at: fetchedAt })
        .update({ fresh_until: at, counts_until: at });
    },
    /** Inserts or replaces a client's document. */
    async save(document: ClientDocument): Promise<void> {
      await database("client_documents").insert(table.toRow(document)).onConflict("client_id").merge();
    },
  };
}
