import { describeReplayStore } from "@authz/contract-tests/replay-store";
import { inMemory } from "@authz/dpop";

describeReplayStore("inMemory()", async () => ({ store: inMemory(), close: async () => {} }));
