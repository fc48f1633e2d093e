export { type RunningPostgres, runPostgres, type RunPostgresOptions } from "@authz/dev/parts";
