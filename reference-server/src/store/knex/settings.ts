import type { SettingsStore } from "../settings.js";
import type { Database } from "./database.js";

export function createSettingsStore(database: Database): SettingsStore {
  return {
    async get() {
      const row = await database<{ installation_name: string }>("settings").first("installation_name");
      if (row === undefined)
        throw new Error("The settings row is missing. Start authz-server once to create it.");
      return { installationName: row.installation_name };
    },
    async lock() {
      await database("settings").select("singleton").forUpdate();
    },
    async save({ installationName }, at) {
      await database("settings").update({
        installation_name: installationName,
        updated_at: at,
        version: database.raw("version + 1"),
      });
    },
    async insertMissing({ installationName }, at) {
      const rows: unknown[] = await database("settings")
        .insert({ installation_name: installationName, updated_at: at })
        .onConflict("singleton")
        .ignore()
        .returning("singleton");
      return rows.length > 0;
    },
  };
}
