import type { Logger } from "pino";
import { keepSealKey, readSealKey } from "../../audit/seal-key.js";
import type { ServerContext } from "../../context.js";
import { type CheckedVariable, compareChecks, ownChecks, storeChecks } from "./secret-checks.js";
import { applyMigrations } from "../../store/migrate/apply-migrations.js";
import { DatabaseUnavailableError } from "../../store/database-unavailable-error.js";

type PreparedContext = Pick<ServerContext, "config" | "store" | "credentials">;

/**
 * Brings the database up to date, unless it belongs to servers with other secrets: then nothing is written.
 *
 * @param replaced - a variable that was replaced on purpose; its value is stored
 * @throws {SecretMismatchError}
 * @throws {VaultError} The encryption key is another installation's.
 * @throws {MigrationError}
 */
export async function prepareDatabase(
  context: PreparedContext,
  log: Pick<Logger, "info">,
  replaced?: CheckedVariable,
): Promise<void> {
  const { config, store } = context;
  // The migrations explain a database that cannot be reached.
  await requireOwnDatabase(context, replaced).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
  });
  await applyMigrations({ postgresUrl: config.postgresUrl, log });
  const own = ownChecks(config);
  await keepSealKey(context);
  if (replaced !== undefined) await store.secretChecks.replace({ variable: replaced, value: own[replaced] });
  await storeChecks(store, own);
}

/**
 * Compares this process's secrets with what the database was set up with; writes nothing.
 *
 * @throws {SecretMismatchError}
 * @throws {VaultError} The encryption key is another installation's.
 */
export async function requireOwnDatabase(
  context: PreparedContext,
  replaced?: CheckedVariable,
): Promise<void> {
  const stored = await compareChecks(context.store, ownChecks(context.config), replaced);
  // Before the first checks are stored there may be no table.
  if (stored.size > 0) await readSealKey(context);
}
