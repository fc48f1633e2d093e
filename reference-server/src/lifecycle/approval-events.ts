import type { AuditActor, AuditEvent } from "../audit/events.js";
import { recordAllAudits } from "../audit/record.js";
import type { LifecycleWork } from "./cause.js";
import type { Approval } from "../store/approvals.js";

/** The service or connector of a call, as events name it. */
export interface ApprovalPlace {
  readonly key: string;
  /** The identifier of the service; `null`: it is a connector. */
  readonly resource: string | null;
}

type Step = "asked" | "approved" | "declined" | "withdrawn" | "expired";

/** The author and time of a step. */
export interface StepBy {
  readonly actor: AuditActor;
  readonly at: Date;
  readonly requestId?: string | undefined;
}

/** The call of an approval, as its events name it. */
export function auditedCall(
  { id, detail, method, txn }: Pick<Approval, "id" | "detail" | "method" | "txn">,
  place: ApprovalPlace,
) {
  const where = place.resource === null ? { connector: place.key } : { resource: place.resource };
  return { approval: id, ...where, detail: detail.type, method, txn };
}

/** The event of one step of an approval. */
export function approvalEvent(
  step: Step,
  approval: Pick<Approval, "id" | "detail" | "method" | "txn" | "userId" | "clientId">,
  place: ApprovalPlace,
  { actor, at, requestId }: StepBy,
): AuditEvent {
  return {
    type: `approval.${step}`,
    outcome: step === "declined" ? "denied" : "success",
    actor,
    at,
    subject: approval.userId,
    clientId: approval.clientId,
    ...(requestId !== undefined && { requestId }),
    data: auditedCall(approval, place),
  };
}

/** Withdraws what waits for an answer, or to be collected, of these grants. Call it in the transaction that ends them. */
export async function withdrawApprovals(
  grantIds: readonly string[],
  { store, actor, at, requestId }: LifecycleWork,
): Promise<void> {
  if (grantIds.length === 0) return;
  const withdrawn = await store.approvals.withdraw(grantIds);
  await recordAllAudits(
    store,
    withdrawn.map((approval) =>
      approvalEvent("withdrawn", approval, approval.resource, { actor, at, requestId }),
    ),
  );
}
