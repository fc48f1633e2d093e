export { ensureDatabase } from "@authz/dev/parts";
