import { type RefreshContext, refreshCatalogs } from "./refresh-catalogs.js";

/** Keeps the catalogs fresh while the server runs. */
export interface RefreshLoop {
  start(): void;
  /** Resolves when a refresh that was running has ended. */
  stop(): Promise<void>;
}

/** How often a process looks whether a catalog is due. */
const lookSeconds = 5;

/** Creates the loop. A database that is away is logged and waited for. */
export function createRefreshLoop(context: RefreshContext): RefreshLoop {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  const look = async () => {
    try {
      await refreshCatalogs(context, new Date(context.clock()));
    } catch (error) {
      context.log.warn({ err: error }, "The skill catalogs could not be refreshed; trying again.");
    }
    schedule();
  };
  const schedule = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = look();
    }, lookSeconds * 1000).unref();
  };

  return {
    start: schedule,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
