/**
 * The `authz` command.
 *
 * @module
 */
export { main } from "./main.js";
export { nodeRuntime, type Runtime } from "./runtime.js";
