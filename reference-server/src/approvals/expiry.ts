import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { toAuditRow } from "../audit/record.js";
import { createLoop, logFailures, type Loop } from "../platform/jobs/loop.js";
import type { Store } from "../store/store.js";
import { approvalEvent } from "../lifecycle/approval-events.js";

const everySeconds = 30;
const batchSize = 100;

/** Ends approvals whose time is over, each with its event, while the server runs. They count nowhere from then on in any case. */
export function createApprovalExpiryLoop({
  store,
  clock,
  log,
}: {
  readonly store: Pick<Store, "approvals">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}): Loop {
  return createLoop({
    everySeconds,
    work: async () => void (await expireApprovals(store, new Date(clock()))),
    onError: logFailures(log, {
      code: "APPROVALS_NOT_EXPIRED",
      message:
        "Approvals whose time is over could not be ended; trying again. They count nowhere all the same.",
    }),
  });
}

/** Returns how many this call has ended. Several processes may run it at once. */
export async function expireApprovals(store: Pick<Store, "approvals">, now: Date): Promise<number> {
  let expired = 0;
  for (;;) {
    const over = await store.approvals.listOver({ now, limit: batchSize });
    for (const approval of over) {
      const event = approvalEvent("expired", approval, approval.resource, {
        actor: { type: "system" },
        at: now,
      });
      if (await store.approvals.expire(approval.id, now, toAuditRow(event))) expired += 1;
    }
    if (over.length < batchSize) return expired;
  }
}
