import type { InstallationState, InstallationStore } from "../installation.js";
import type { Database } from "./database.js";

const hasProvider = "EXISTS (SELECT FROM identity_providers WHERE enabled)";
const hasAdministrator = "EXISTS (SELECT FROM assignments WHERE scope_key = 'authz:administer')";

const stateSql = `
  SELECT CASE
    WHEN installed_at IS NOT NULL OR (${hasProvider} AND ${hasAdministrator}) THEN 'installed'
    WHEN ${hasProvider} THEN 'incomplete'
    ELSE 'empty'
  END AS state FROM settings`;

export function createInstallationStore(database: Database): InstallationStore {
  const mark = async (at: Date, condition: string): Promise<boolean> => {
    const changed = await database("settings")
      .whereNull("installed_at")
      .whereRaw(condition)
      .update({ installed_at: at });
    return changed > 0;
  };

  return {
    async state() {
      const { rows } = await database.raw<{ rows: { state: InstallationState }[] }>(stateSql);
      return rows[0]?.state ?? "empty";
    },
    complete: (at) => mark(at, `NOT (${hasProvider} AND ${hasAdministrator})`),
    completeIfConfigured: (at) => mark(at, `${hasProvider} AND ${hasAdministrator}`),
  };
}
