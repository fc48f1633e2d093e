import type { Store } from "../store/store.js";
import { type ArchiveReport, verifyArchive } from "./archive/read-archive.js";
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
  event_forged: "the server did not record this event",
  archive_forged: "what came before was removed by something other than the server",
};

/** How many faults are printed: one edit is interesting, the thousand that follow from it are not. */
const printedFaults = 20;

/** The output of `authz-server audit verify`, and its exit code. */
export interface AuditVerdict {
  readonly text: string;
  readonly exitCode: 0 | 2;
}

/** Verifies the audit trail for an operator. */
export async function judgeAuditTrail(
  store: Pick<Store, "auditArchive" | "auditEvents" | "auditSeals">,
  options: { readonly sealKey: Buffer; readonly digest?: string },
): Promise<AuditVerdict> {
  const report = await verifyAuditChain(store, options);
  const { faults, containsDigest } = report;
  const cutOff = containsDigest === false;
  const lines = [
    faults.length === 0 && !cutOff ? "The audit trail is intact." : "The audit trail was tampered with.",
    `${report.sealedEvents} events are sealed by ${report.seals} seals; ${report.unsealedEvents} are not sealed yet.`,
    ...describeArchive(report),
    ...describeFaults(faults),
    ...(cutOff ? [`No seal has the digest ${options.digest}: the chain was cut off or made anew.`] : []),
    ...describeHead(report),
  ];
  return { text: `${lines.join("\n")}\n`, exitCode: faults.length === 0 && !cutOff ? 0 : 2 };
}

/** Verifies archives that follow each other, the oldest first. They need no database. */
export async function judgeArchives(
  files: readonly string[],
  options: { readonly sealKey: Buffer; readonly digest?: string },
): Promise<AuditVerdict> {
  const lines: string[] = [];
  let previous: ArchiveReport["last"] | undefined;
  let faults = 0;
  let contains = options.digest === undefined;
  for (const file of files) {
    const report = await verifyArchive(file, { ...options, ...(previous !== undefined && { previous }) });
    previous = report.last;
    faults += report.faults.length;
    contains ||= report.containsDigest;
    lines.push(`${file}: ${report.events} events, ${report.seals} seals, SHA-256 ${report.sha256}.`);
    lines.push(...describeFaults(report.faults), ...describeEnds(report));
  }
  const isIntact = faults === 0 && contains;
  if (!contains) lines.push(`No seal has the digest ${options.digest}.`);
  const verdict = `${files.length === 1 ? "The archive" : "The chain of archives"} ${isIntact ? "is intact" : "was tampered with"}.`;
  return { text: `${[verdict, ...lines].join("\n")}\n`, exitCode: isIntact ? 0 : 2 };
}

function describeEnds({ after, last }: ArchiveReport): string[] {
  const begin =
    after.id === 0
      ? "It begins with the first seal"
      : `It begins after seal ${after.id}, digest ${after.digest.toString("hex")}`;
  return [`${begin}, and ends with seal ${last.id}, digest ${last.digest.toString("hex")}.`];
}

function describeFaults(faults: ChainReport["faults"]): string[] {
  const rest = faults.length - printedFaults;
  return [
    ...faults.slice(0, printedFaults).map(describeFault),
    ...(rest > 0 ? [`... and ${rest} more.`] : []),
  ];
}

function describeArchive({ archive }: ChainReport): string[] {
  if (archive === undefined) return [];
  return [
    `Seals 1 to ${archive.id} were archived and removed with their events; the last digest is ${archive.digest}.`,
  ];
}

function describeFault({ kind, sealId, firstEventId, lastEventId }: ChainReport["faults"][number]): string {
  return `Seal ${sealId}, events ${firstEventId} to ${lastEventId}: ${faultTexts[kind]}.`;
}

function describeHead({ head }: ChainReport): string[] {
  if (head === undefined) return [];
  return [
    `The chain ends with seal ${head.id}, digest ${head.digest}.`,
    "Keep this digest elsewhere, and pass it to --contains the next time.",
  ];
}
