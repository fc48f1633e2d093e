import { faultTexts } from "../../audit/verdict.js";
import { verifyAuditChain } from "../../audit/verify-chain.js";
import { fault } from "../../objects/check.js";
import { invalid } from "../../registry/refusal.js";
import type { AdminCall } from "../door/call.js";
import type { AuditVerification } from "./schemas.js";

/** Events of one part: about half a second. */
const eventsPerPart = 20_000;
const shownFaults = 100;

/**
 * Compares a part of the audit trail with its seals.
 *
 * @param afterId - the seal that the part before ended with
 * @throws {Refusal} `invalid_request`: there is no such seal
 */
export async function verifyPart(
  afterId: number | undefined,
  { store, context }: Pick<AdminCall, "store" | "context">,
): Promise<AuditVerification> {
  const after = afterId === undefined ? undefined : await findSeal(afterId, store);
  const report = await verifyAuditChain(store, {
    sealKey: await context.openSealKey(),
    maxEvents: eventsPerPart,
    ...(after !== undefined && { after }),
  });
  return {
    intact: report.faults.length === 0,
    checkedSeals: report.seals,
    checkedEvents: report.sealedEvents,
    unsealedEvents: report.unsealedEvents,
    faults: report.faults
      .slice(0, shownFaults)
      .map((found) => ({ ...found, text: `${faultTexts[found.kind]}.` })),
    nextAfter: report.nextAfter ?? null,
    head: report.head ?? null,
  };
}

async function findSeal(id: number, store: AdminCall["store"]) {
  const [seal] = await store.auditSeals.list({ afterId: id - 1, limit: 1 });
  if (seal?.id !== id) throw invalid(fault("after", "unknownSeal"));
  return seal;
}
