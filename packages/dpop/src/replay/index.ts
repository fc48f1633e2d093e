/**
 * For those who write a replay store, or ask one for something else than a proof.
 *
 * @module
 */
export { ReplayStoreUnavailableError } from "../errors.js";
export { isFirstUse, type ReplayRecord, type ReplayStore } from "./replay-store.js";
export { within } from "./within.js";
