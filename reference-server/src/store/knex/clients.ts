import type { Client, ClientStore } from "../clients.js";
import type { Database } from "./database.js";

interface ClientRow {
  id: string;
  name: string;
  redirect_uris: string[];
  dpop_bound: boolean;
  built_in: boolean;
  enabled: boolean;
}

export function createClientStore(database: Database): ClientStore {
  return {
    async find(id) {
      const row = await database<ClientRow>("clients").first().where({ id });
      return row && fromRow(row);
    },
    async insertMissing(client, at) {
      const rows: unknown[] = await database("clients")
        .insert({ ...toRow(client), created_at: at, updated_at: at })
        .onConflict("id")
        .ignore()
        .returning("id");
      return rows.length > 0;
    },
  };
}

function fromRow(row: ClientRow): Client {
  return {
    id: row.id,
    name: row.name,
    redirectUris: row.redirect_uris,
    dpopBound: row.dpop_bound,
    builtIn: row.built_in,
    enabled: row.enabled,
  };
}

function toRow(client: Client): ClientRow {
  return {
    id: client.id,
    name: client.name,
    redirect_uris: [...client.redirectUris],
    dpop_bound: client.dpopBound,
    built_in: client.builtIn,
    enabled: client.enabled,
  };
}
