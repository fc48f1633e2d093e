import type { Client, ClientStore } from "../clients.js";
import { createClientListStore } from "./client-list.js";
import type { Database } from "./database.js";

interface ClientRow {
  id: string;
  name: string;
  type: Client["type"];
  redirect_uris: string[];
  keys: Client["keys"];
  dpop_bound: boolean;
  built_in: boolean;
  enabled: boolean;
}

/** A `Client` made of a row that is called `c`, for statements that load it beside other things. */
export const clientJson = `json_build_object('id', c.id, 'name', c.name, 'type', c.type,
  'redirectUris', c.redirect_uris, 'keys', c.keys, 'dpopBound', c.dpop_bound, 'builtIn', c.built_in,
  'enabled', c.enabled)`;

export function createClientStore(database: Database): ClientStore {
  return {
    ...createClientListStore(database),

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
    async save(client, at) {
      const { id, ...row } = toRow(client);
      await database("clients")
        .insert({ id, ...row, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("clients.version + 1") });
    },
    async listMachineScopes(clientId) {
      const rows = await database("machine_scopes")
        .where({ client_id: clientId })
        .orderBy("scope_key")
        .select<{ scope_key: string }[]>("scope_key");
      return rows.map((row) => row.scope_key);
    },
    async saveMachineScopes(clientId, scopes) {
      await database("machine_scopes")
        .where({ client_id: clientId })
        .whereNotIn("scope_key", [...scopes])
        .delete();
      const rows = scopes.map((scope) => ({ client_id: clientId, scope_key: scope }));
      if (rows.length > 0) await database("machine_scopes").insert(rows).onConflict().ignore();
    },
  };
}

function fromRow(row: ClientRow): Client {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    redirectUris: row.redirect_uris,
    keys: row.keys,
    dpopBound: row.dpop_bound,
    builtIn: row.built_in,
    enabled: row.enabled,
  };
}

function toRow(client: Client): Omit<ClientRow, "keys"> & { keys: string } {
  return {
    id: client.id,
    name: client.name,
    type: client.type,
    redirect_uris: [...client.redirectUris],
    keys: JSON.stringify(client.keys),
    dpop_bound: client.dpopBound,
    built_in: client.builtIn,
    enabled: client.enabled,
  };
}
