import type { Database } from "./postgres/database.js";
import { defineTable, insertMissing, orNull } from "./postgres/table.js";

/**
 * Which hosts may be clients by a metadata document: none, those that administrators allow, or any that they do not refuse.
 */
export type AppTrust = "off" | "listed" | "any";

/** What an administrator sets for the whole installation. */
export interface Settings {
  readonly installationName: string;
  /** What agents are told; `null` when there is nothing to tell. */
  readonly instructions: string | null;
  /** The image in place of the letter; `null`: the letter. */
  readonly logo: LogoFacts | null;
  readonly appTrust: AppTrust;
  /** Whether clients may register themselves (RFC 7591). */
  readonly dynamicRegistration: boolean;
  /** The administrator whom no provider can disable, pause or sign out; lower case. */
  readonly breakGlassEmail: string | null;
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
  readonly appTrust?: AppTrust;
  readonly dynamicRegistration?: boolean;
  readonly breakGlassEmail?: string | null;
}

type StoredSettings = Omit<Settings, "logo"> & { readonly logo: Logo | null };

const table = defineTable<StoredSettings>("settings", {
  installationName: "installation_name",
  instructions: "instructions",
  logo: orNull({ content: "logo", type: "logo_type", digest: "logo_digest" }),
  appTrust: "app_trust",
  dynamicRegistration: "dynamic_registration",
  breakGlassEmail: "break_glass_email",
  version: "version",
  updatedAt: "updated_at",
});

const logoTable = table.without(
  "installationName",
  "instructions",
  "appTrust",
  "dynamicRegistration",
  "breakGlassEmail",
  "version",
  "updatedAt",
);

/** The image is read only where it is shown. */
const factsSql = `${table.without("logo").select()}, CASE WHEN logo IS NOT NULL THEN
  json_build_object('type', logo_type, 'digest', logo_digest, 'bytes', octet_length(logo)) END AS logo`;

export function createSettingsStore(database: Database) {
  return {
    /** @throws Error when the default records were never created. */
    async get(): Promise<Settings> {
      const [settings] = await database("settings").select<Settings[]>(database.raw(factsSql));
      if (settings === undefined)
        throw new Error("The settings row is missing. Start authz-server once to create it.");
      return settings;
    },
    async findLogo(): Promise<Logo | undefined> {
      const [row] = await database("settings").select<object[]>(database.raw(logoTable.select()));
      return (row && logoTable.fromRow(row).logo) ?? undefined;
    },
    /** Waits for other changes of the configuration, and makes them wait until this transaction ends. */
    async lock(): Promise<void> {
      await database("settings").select("singleton").forUpdate();
    },
    /** Makes changes of the configuration wait until this transaction ends, and no reader. */
    async hold(): Promise<void> {
      await database("settings").select("singleton").forShare();
    },
    async save(change: SettingsChange, at: Date): Promise<void> {
      await database("settings").update({
        ...table.toRow({ ...change, updatedAt: at }),
        version: database.raw("version + 1"),
      });
    },
    /** Returns whether the row was new; an existing row stays as it is. */
    async insertMissing(
      { installationName }: Pick<Settings, "installationName">,
      at: Date,
    ): Promise<boolean> {
      const row = table.toRow({ installationName, updatedAt: at });
      return await insertMissing(database, "settings", { row, key: "singleton" });
    },
  };
}
