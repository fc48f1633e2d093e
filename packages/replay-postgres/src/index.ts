/**
 * A replay store in PostgreSQL, shared by any number of processes.
 *
 * @module
 */
export { createTable } from "./create-table.js";
export type { PostgresPool, PostgresQuery } from "./pool.js";
export { type PostgresOptions, type PostgresReplayStore, postgres } from "./postgres.js";
