import type { Logger } from "pino";
import { RegistryError } from "./registry/apply/registry-error.js";
import { ArchiveError } from "./audit/archive/archive-error.js";
import { ConfigError } from "./config/config.js";
import { VaultError } from "./platform/vault/key-ring.js";
import { SecretMismatchError } from "./upkeep/start/secret-checks.js";
import { createLog } from "./platform/http/log.js";
import { InstallFileError } from "./set-up/installation.js";
import { SigningKeyError } from "./oauth/keys/rotate-keys.js";
import { MigrationError } from "./store/migrate/migration-error.js";
import { ExplainError } from "./permissions/explain.js";
import { RestoreError } from "./upkeep/end-restored.js";
import { DatabaseUnavailableError } from "./store/database-unavailable-error.js";

/** Prints a known failure as text, and logs any other with its stack. */
export function reportFailure(error: unknown): void {
  if (isOperatorError(error)) process.stderr.write(`${error.message}\n`);
  else logFailure(createLog("info"), error);
}

const operatorErrors = [
  ArchiveError,
  ConfigError,
  SecretMismatchError,
  RegistryError,
  InstallFileError,
  SigningKeyError,
  VaultError,
  ExplainError,
  RestoreError,
];

/** Errors whose message is enough for an operator. */
function isOperatorError(error: unknown): error is Error {
  return operatorErrors.some((kind) => error instanceof kind);
}

/** Logs a failed start, with a code that `docs/reference/log-codes.md` explains. */
export function logFailure(log: Logger, error: unknown): void {
  if (error instanceof MigrationError) {
    const { code, message, remedy, migration } = error;
    log.fatal({ code, migration, remedy }, `${code}: ${message} ${remedy}`);
  } else if (error instanceof SecretMismatchError) {
    const { variables, message } = error;
    log.fatal({ code: "AUTHZ_SECRET_MISMATCH", variables }, `AUTHZ_SECRET_MISMATCH: ${message}`);
  } else if (error instanceof DatabaseUnavailableError) {
    log.fatal({ code: "P1001", err: error.cause }, "P1001: The database was lost during the start.");
  } else if (error instanceof VaultError) {
    log.fatal({ code: "CREDENTIAL_KEY_WRONG" }, `CREDENTIAL_KEY_WRONG: ${error.message}`);
  } else {
    log.fatal({ code: "START_FAILED", err: error }, "The server cannot start.");
  }
}
