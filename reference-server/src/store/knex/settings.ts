import type { Logo, Settings, SettingsStore } from "../settings.js";
import type { Database } from "./database.js";

interface SettingsRow {
  installation_name: string;
  instructions: string | null;
  logo_type: Logo["type"] | null;
  logo_digest: string | null;
  logo_bytes: number | null;
  version: number;
  updated_at: Date;
}

/** By name, so that the image is read only where it is shown. */
const columns = ["installation_name", "instructions", "logo_type", "logo_digest", "version", "updated_at"];

export function createSettingsStore(database: Database): SettingsStore {
  return {
    async get() {
      const row = await database("settings").first<SettingsRow>(
        ...columns,
        database.raw("octet_length(logo) AS logo_bytes"),
      );
      if (row === undefined)
        throw new Error("The settings row is missing. Start authz-server once to create it.");
      return fromRow(row);
    },
    async findLogo() {
      const row = await database("settings").first<
        { logo: Buffer | null } & Pick<SettingsRow, "logo_type" | "logo_digest">
      >("logo", "logo_type", "logo_digest");
      if (row === undefined || row.logo === null || row.logo_type === null || row.logo_digest === null) {
        return undefined;
      }
      return { content: row.logo, type: row.logo_type, digest: row.logo_digest };
    },
    async lock() {
      await database("settings").select("singleton").forUpdate();
    },
    async save({ installationName, instructions, logo }, at) {
      await database("settings").update({
        ...(installationName !== undefined && { installation_name: installationName }),
        ...(instructions !== undefined && { instructions }),
        ...(logo !== undefined && {
          logo: logo?.content ?? null,
          logo_type: logo?.type ?? null,
          logo_digest: logo?.digest ?? null,
        }),
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

function fromRow(row: SettingsRow): Settings {
  const { logo_type: type, logo_digest: digest, logo_bytes: bytes } = row;
  return {
    installationName: row.installation_name,
    instructions: row.instructions,
    logo: type === null || digest === null || bytes === null ? null : { type, digest, bytes },
    version: row.version,
    updatedAt: row.updated_at,
  };
}
