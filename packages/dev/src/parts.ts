/**
 * What `authz-dev` is made of, for the repository's own development system, which starts more services. Not published.
 *
 * @module
 */
export { createProgress, type Progress, type ProgressStep } from "../progress.mjs";
export { onInterruption } from "./interruption.js";
export { findFreePort, isPortFree } from "./network/ports.js";
export { ensureDatabase } from "./postgres/database.js";
export { type RunningPostgres, runPostgres, type RunPostgresOptions } from "./postgres/run-postgres.js";
export { ReadableError, reportFailure } from "./readable-error.js";
export type { PortUse } from "./system/ports-in-use.js";
export { type ProgramProcess, startProgram } from "./system/program-process.js";
export {
  idpProgram,
  type LastingProgram,
  type Program,
  registrationProgram,
  serverEnvironment,
  serverProgram,
} from "./system/programs.js";
export { type Registry, withCompany } from "./system/registry.js";
export { findRunning, type RunningRecord } from "./system/running-record.js";
export { type DevelopmentSecrets, loadSecrets, signingKeyFile } from "./system/secrets.js";
export {
  inheritedEnvironment,
  isRefusedByBrowsers,
  type SystemPorts,
  type SystemSettings,
} from "./system/settings.js";
export { stateDirectoryOf } from "./system/state-directory.js";
export {
  createDevelopmentSystem,
  type DevelopmentSystem,
  StoppedError,
  type SystemOptions,
  type SystemPlan,
} from "./system/system.js";
export { lines, table } from "./terminal-text.js";
