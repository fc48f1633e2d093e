/**
 * A replay store in PostgreSQL, shared by any number of processes.
 *
 * @module
 */
export {
  type PostgresOptions,
  type PostgresPool,
  type PostgresQuery,
  type PostgresReplayStore,
  postgres,
} from "./postgres.js";
export { createTable } from "./table.js";
