/**
 * For those who write a replay store, or ask one for something else than a proof.
 *
 * @module
 */
export { ReplayStoreUnavailableError } from "../errors.js";
export { isFirstUse, type ReplayRecord, type ReplayStore, within } from "./replay-store.js";
