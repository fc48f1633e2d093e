import type { Database } from "./postgres/database.js";

/** What an administrator sets for the whole installation. */
export interface Settings {
  readonly installationName: string;
  /** What agents are told; `null` when there is nothing to tell. */
  readonly instructions: string | null;
  /** The image in place of the letter; `null`: the letter. */
  readonly logo: LogoFacts | null;
  readonly version: number;
  readonly updatedAt: Date;
}

export interface LogoFacts {
  readonly type: "image/png" | "image/svg+xml";
  /** SHA-256 in base64url. */
  readonly digest: string;
  readonly bytes: number;
}

export interface Logo extends Omit<LogoFacts, "bytes"> {
  readonly content: Buffer;
}

/** What is not there stays as it is. */
export interface SettingsChange {
  readonly installationName?: string;
  readonly instructions?: string | null;
  readonly logo?: Logo | null;
}

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

export function createSettingsStore(database: Database) {
  return {
    /** @throws Error when the default records were never created. */
    async get(): Promise<Settings> {
      const row = await database("settings").first<SettingsRow>(
        ...columns,
        database.raw("octet_length(logo) AS logo_bytes"),
      );
      if (row === undefined)
        throw new Error("The settings row is missing. Start authz-server once to create it.");
      return fromRow(row);
    },
    async findLogo(): Promise<Logo | undefined> {
      const row = await database("settings").first<
        { logo: Buffer | null } & Pick<SettingsRow, "logo_type" | "logo_digest">
      >("logo", "logo_type", "logo_digest");
      if (row === undefined || row.logo === null || row.logo_type === null || row.logo_digest === null) {
        return undefined;
      }
      return { content: row.logo, type: row.logo_type, digest: row.logo_digest };
    },
    /** Waits for other changes of the configuration, and makes them wait until this transaction ends. */
    async lock(): Promise<void> {
      await database("settings").select("singleton").forUpdate();
    },
    async save({ installationName, instructions, logo }: SettingsChange, at: Date): Promise<void> {
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
    /** Returns whether the row was new; an existing row stays as it is. */
    async insertMissing(
      { installationName }: Pick<Settings, "installationName">,
      at: Date,
    ): Promise<boolean> {
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
