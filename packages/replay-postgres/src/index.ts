/**
 * A replay store in PostgreSQL, shared by any number of processes.
 *
 * @module
 */
export type { ReplayRecord, ReplayStore } from "@authz/dpop/replay";
export {
  type PostgresOptions,
  type PostgresPool,
  type PostgresQuery,
  type PostgresReplayStore,
  postgres,
} from "./postgres.js";
export { createTable } from "./table.js";
