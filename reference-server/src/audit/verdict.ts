import type { Store } from "../store/store.js";
import { type AuditFaultKind, type ChainReport, verifyAuditChain } from "./verify-chain.js";

/** What each fault means, in a few words. */
export const faultTexts: Readonly<Record<AuditFaultKind, string>> = {
  seal_missing: "a seal before this one is missing",
  seal_changed: "the seal itself was edited",
  seal_forged: "the seal was not made by this server",
  link_broken: "the seal does not continue the one before it",
  events_missing: "events are missing",
  events_added: "there are events that were not sealed",
  events_changed: "events were edited",
};

/** How many faults are printed: one edit is interesting, the thousand that follow from it are not. */
const printedFaults = 20;

/** The end of `authz-server audit verify`: what it prints, and its exit code, 0 or 2. */
export interface AuditVerdict {
  readonly text: string;
  readonly exitCode: 0 | 2;
}

/** Verifies the audit trail for an operator. */
export async function judgeAuditTrail(
  store: Pick<Store, "auditEvents" | "auditSeals">,
  options: { readonly sealKey: Buffer; readonly digest?: string },
): Promise<AuditVerdict> {
  const report = await verifyAuditChain(store, options);
  const { faults, containsDigest } = report;
  const cutOff = containsDigest === false;
  const lines = [
    faults.length === 0 && !cutOff ? "The audit trail is intact." : "The audit trail was tampered with.",
    `${report.sealedEvents} events are sealed by ${report.seals} seals; ${report.unsealedEvents} are not sealed yet.`,
    ...faults.slice(0, printedFaults).map(describeFault),
    ...(faults.length > printedFaults ? [`... and ${faults.length - printedFaults} more.`] : []),
    ...(cutOff ? [`No seal has the digest ${options.digest}: the chain was cut off or made anew.`] : []),
    ...describeHead(report),
  ];
  return { text: `${lines.join("\n")}\n`, exitCode: faults.length === 0 && !cutOff ? 0 : 2 };
}

function describeFault({ kind, sealId, firstEventId, lastEventId }: ChainReport["faults"][number]): string {
  return `Seal ${sealId}, events ${firstEventId} to ${lastEventId}: ${faultTexts[kind]}.`;
}

function describeHead({ head }: ChainReport): string[] {
  if (head === undefined) return [];
  return [
    `The chain ends with seal ${head.id}, digest ${head.digest}.`,
    "Keep this digest elsewhere, and give it to --contains the next time.",
  ];
}
