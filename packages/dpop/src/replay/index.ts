/**
 * For authors of replay stores, and for recording the use of something other than a proof.
 *
 * @module
 */
export { ReplayStoreUnavailableError } from "../errors.js";
export { isInMemory } from "./in-memory.js";
export { isFirstUse, type ReplayRecord, type ReplayStore, within } from "./replay-store.js";
