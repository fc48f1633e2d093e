export { type RunningPostgres, runPostgres, type RunPostgresOptions } from "../parts.js";
