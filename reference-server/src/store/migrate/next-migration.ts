import type { LedgerEntry } from "./ledger.js";
import { MigrationError } from "./migration-error.js";
import type { Migration } from "./migration-files.js";

/**
 * Decides which migration comes next; `undefined` when the schema is up to date.
 *
 * @throws {MigrationError} A failed migration is recorded, or the schema does not belong to this version.
 */
export function nextMigration(
  migrations: readonly Migration[],
  ledger: readonly LedgerEntry[],
): Migration | undefined {
  const failed = ledger.find(({ state }) => state === "failed");
  if (failed !== undefined) throw failedBefore(failed);

  const applied = new Map(
    ledger.filter(({ state }) => state === "applied").map((entry) => [entry.name, entry]),
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const entry of applied.values()) {
    const migration = known.get(entry.name);
    if (migration === undefined) throw schemaNewer(entry.name);
    if (migration.checksum !== entry.checksum) throw migrationChanged(entry.name);
  }
  return migrations.find(({ name }) => !applied.has(name));
}

function failedBefore({ name, error }: LedgerEntry): MigrationError {
  const cause = `Migration ${name} failed at an earlier start: ${error ?? "no message was recorded"}.`;
  const remedy = `Fix the cause, then run "authz-migrate resolve --rolled-back ${name}" and start again.`;
  return new MigrationError("P3009", { cause, remedy, migration: name });
}

function schemaNewer(name: string): MigrationError {
  const cause = `The database has migration ${name}, which this version of the server does not know.`;
  const remedy = "Start the newer version again, or restore the backup taken before the upgrade.";
  return new MigrationError("AUTHZ_SCHEMA_NEWER", { cause, remedy, migration: name });
}

function migrationChanged(name: string): MigrationError {
  const cause = `Migration ${name} was applied with different content than this version of the server ships.`;
  const remedy =
    "A database of a development build, such as npm start keeps in its data folder, has no upgrade: delete that folder, or point " +
    "POSTGRES_URL at an empty database. Migrations of releases never change: start the published image of the release that " +
    "created the database.";
  return new MigrationError("AUTHZ_MIGRATION_CHANGED", { cause, remedy, migration: name });
}
