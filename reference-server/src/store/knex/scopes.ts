import type { Scope, ScopeStore } from "../scopes.js";
import type { Database } from "./database.js";

export function createScopeStore(database: Database): ScopeStore {
  return {
    async findAll(keys) {
      return await database<Scope>("scopes")
        .select("key", "description", "system")
        .whereIn("key", [...keys])
        .orderBy("key");
    },
    async save({ key, description, system }, at) {
      await database("scopes")
        .insert({ key, description, system, created_at: at, updated_at: at })
        .onConflict("key")
        .merge({ description, system, updated_at: at, version: database.raw("scopes.version + 1") });
    },
    async insertMissing({ key, description, system }, at) {
      const rows: unknown[] = await database("scopes")
        .insert({ key, description, system, created_at: at, updated_at: at })
        .onConflict("key")
        .ignore()
        .returning("key");
      return rows.length > 0;
    },
  };
}
