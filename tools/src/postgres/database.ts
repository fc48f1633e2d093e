export { ensureDatabase } from "../parts.js";
