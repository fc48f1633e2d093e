export { describeReplayStore } from "./describe-replay-store.js";
export type { CreatedReplayStore, OpenReplayStore, SharedReplayStore } from "./open-replay-store.js";
