import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import type { AuditEvent } from "../../audit/events.js";
import { recordAllAudits } from "../../audit/record.js";
import { createLoop, logFailures, type Loop } from "../../platform/jobs/loop.js";
import { announceEnds, mostAtOnce, removeOver } from "../../registry/assignment-ends.js";
import type { RegistryChange } from "../../registry/work.js";
import type { OpenStore } from "../../store/store.js";

export interface AssignmentEndsOptions {
  readonly store: Pick<OpenStore, "transaction">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

const everySeconds = 30;

/** Repeats `processEnds` while the server runs. */
export function createAssignmentEndsLoop(options: AssignmentEndsOptions): Loop {
  return createLoop({
    everySeconds,
    work: () => processEnds(options),
    onError: logFailures(options.log, {
      code: "ASSIGNMENT_ENDS_NOT_RECORDED",
      message:
        "Assignments that end could not be announced or removed; trying again. What is over counts nowhere all the same.",
    }),
  });
}

/**
 * Announces assignments that end soon, and removes those that have ended, each with its event. Several processes may run it at once: each
 * assignment is processed by one of them.
 */
export async function processEnds({
  store,
  clock,
}: Pick<AssignmentEndsOptions, "store" | "clock">): Promise<void> {
  let more = true;
  while (more) {
    more = await store.transaction(async (tx) => {
      const at = new Date(clock());
      const auditAll = (changes: readonly RegistryChange[]) =>
        recordAllAudits(
          tx,
          changes.map(
            (change) => ({ outcome: "success", actor: { type: "system" }, at, ...change }) as AuditEvent,
          ),
        );
      const announced = await announceEnds({ store: tx, auditAll });
      const removed = await removeOver({}, { store: tx, auditAll });
      return announced.length === mostAtOnce || removed === mostAtOnce;
    });
  }
}
