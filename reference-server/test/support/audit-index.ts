import { indexEvents } from "../../src/audit/index-events.js";
import { deriveEventKey } from "../../src/audit/seal.js";
import { createSealer } from "../../src/audit/sealer.js";
import type { ServerContext } from "../../src/context.js";

const silent = { info: () => undefined, warn: () => undefined };

/** Seals and indexes what is stored, as the loops of a running server do within a few seconds. */
export async function sealAndIndex({
  store,
  openSealKey,
  clock,
  config,
}: Pick<ServerContext, "store" | "openSealKey" | "clock" | "config">): Promise<void> {
  const eventKey = deriveEventKey(config.sessionSecret);
  await createSealer({ store, log: silent, clock, openSealKey, eventKey }).run();
  await indexEvents(store);
}
