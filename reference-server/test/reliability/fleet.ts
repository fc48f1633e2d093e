import { RawDevice } from "../support/raw-device.js";
import type { Installation } from "./installation.js";
import { emptyLedger, type Ledger, runLoadDevice } from "./load-device.js";
import { seedCodes } from "./seed.js";

/** Devices that keep several server processes busy. */
export interface Fleet {
  readonly ledger: Ledger;
  /** Where requests go from now on, in turn. */
  sendTo(origins: readonly string[]): void;
  /** Resolves when this many more requests have succeeded. */
  progress(count: number): Promise<void>;
  /** Resolves when every device has its last answer. */
  stop(): Promise<void>;
}

/** Starts the devices. Each has enough codes to begin again when a grant is lost. */
export async function startFleet(
  installation: Installation,
  { devices, codesEach, origins }: { devices: number; codesEach: number; origins: readonly string[] },
): Promise<Fleet> {
  const ledger = emptyLedger();
  let targets = origins;
  let sent = 0;
  let over = false;
  const waiting = new Set<{ readonly until: number; readonly resolve: () => void }>();
  const onSuccess = () => {
    for (const one of waiting) {
      if (ledger.successes.length < one.until) continue;
      waiting.delete(one);
      one.resolve();
    }
  };
  const origin = () => {
    sent += 1;
    return targets[sent % targets.length] ?? installation.issuer;
  };
  const runs: Promise<void>[] = [];
  for (let index = 0; index < devices; index += 1) {
    const device = await RawDevice.create(installation.issuer);
    const codes = await seedCodes(installation.database, device, codesEach);
    runs.push(runLoadDevice({ device, codes, ledger, origin, onSuccess }, () => over));
  }
  const ended = Promise.all(runs);
  return {
    ledger,
    sendTo(next) {
      targets = next;
    },
    async progress(count) {
      const until = ledger.successes.length + count;
      const reached = new Promise<void>((resolve) => waiting.add({ until, resolve }));
      await Promise.race([reached, ended]);
      if (ledger.successes.length < until)
        throw new Error(`Every device stopped: ${ledger.surprises.join("; ")}`);
    },
    async stop() {
      over = true;
      await ended;
    },
  };
}
