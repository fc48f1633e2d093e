import { indexEvents } from "../../src/audit/index-events.js";
import { deriveSealKey } from "../../src/audit/seal.js";
import { createSealer } from "../../src/audit/sealer.js";
import type { ServerContext } from "../../src/context.js";

const silent = { info: () => undefined, warn: () => undefined };

/** Seals and indexes what is stored, as the loops of a running server do within a few seconds. */
export async function sealAndIndex({
  store,
  config,
  clock,
}: Pick<ServerContext, "store" | "config" | "clock">): Promise<void> {
  const sealKey = deriveSealKey(config.credentialEncryptionKey);
  await createSealer({ store, log: silent, clock, sealKey }).run();
  await indexEvents(store);
}
