/**
 * The `authz` command.
 *
 * @module
 */
export { main } from "./main.js";
export { processSurroundings, type Surroundings } from "./surroundings.js";
