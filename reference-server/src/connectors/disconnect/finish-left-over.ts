import { createLoop, logFailures, type Loop } from "../../platform/jobs/loop.js";
import type { Connection } from "../../store/connections.js";
import { DatabaseUnavailableError } from "../../store/database-unavailable-error.js";
import type { OpenStore } from "../../store/store.js";
import { type DisconnectDependencies, finishDisconnecting } from "./disconnect.js";

/** A process that began to disconnect has finished after this time, or was killed. */
const leftOverSeconds = 60;
const everySeconds = 15;
/** Bounds the time of a round. */
const batchSize = 20;

/** Repeats `finishLeftOver` while the server runs. */
export function createDisconnectLoop(
  dependencies: DisconnectDependencies & { readonly store: OpenStore },
): Loop {
  const { log } = dependencies;
  return createLoop({
    everySeconds,
    work: async (signal) => void (await finishLeftOver(dependencies, signal)),
    onError: logFailures(log, {
      code: "CONNECTIONS_NOT_REMOVED",
      message: "Connections could not be removed; trying again.",
    }),
  });
}

/**
 * Finishes connections whose process was killed while it disconnected them, and those that an administrator disconnected all at once.
 * One process at a time. Returns how many were removed.
 */
export async function finishLeftOver(
  dependencies: DisconnectDependencies & { readonly store: OpenStore },
  signal?: AbortSignal,
): Promise<number> {
  const { store, clock } = dependencies;
  const finished = await store.exclusively("disconnecting", async () => {
    const before = new Date(clock() - leftOverSeconds * 1000);
    const connections = await store.connections.listDisconnecting({ before, limit: batchSize });
    let count = 0;
    for (const connection of connections) {
      if (signal?.aborted === true) break;
      if (await finishOne(connection, dependencies)) count += 1;
    }
    return count;
  });
  return finished ?? 0;
}

/** A failure is logged, so that it does not stop the others. */
async function finishOne(connection: Connection, dependencies: DisconnectDependencies): Promise<boolean> {
  const by = { actor: { type: "system" } } as const;
  try {
    return (await finishDisconnecting({ connection, by }, dependencies)) !== undefined;
  } catch (err) {
    if (err instanceof DatabaseUnavailableError) throw err;
    const { id: connectionId } = connection;
    dependencies.log.warn(
      { code: "CONNECTIONS_NOT_REMOVED", connectionId, err },
      "A connection could not be removed; trying again.",
    );
    return false;
  }
}
