import { type FileHandle, open, rm } from "node:fs/promises";
import type { AuditSeal } from "../../store/audit-seals.js";
import type { Store } from "../../store/store.js";
import { auditLine } from "../canonical.js";
import { chainStart, digestEvents, type Link, readSeals, sealLine } from "../seal.js";
import { faultTexts } from "../verdict.js";
import { judgeSeal } from "../verify-chain.js";
import { ArchiveError } from "./archive-error.js";

/** A seal covers fewer; one more is read, so that an event that was put between them is noticed. */
const mostEvents = 100_000;

/** What an archive holds. */
export interface WrittenArchive {
  readonly seals: number;
  readonly events: number;
  readonly last: AuditSeal | undefined;
}

export interface ArchiveRequest {
  readonly file: string;
  /** Only seals that were made before. */
  readonly before: Date;
  readonly sealKey: Buffer;
}

/**
 * Writes the oldest part of the audit trail into a new file: the events of each seal, one a line, and then their seal.
 *
 * Everything is compared with its seal on the way.
 *
 * @throws {ArchiveError} The file cannot be made, or the trail was tampered with.
 */
export async function writeArchive(
  { file, before, sealKey }: ArchiveRequest,
  store: Pick<Store, "auditArchive" | "auditEvents" | "auditSeals">,
): Promise<WrittenArchive> {
  const handle = await createFile(file);
  try {
    let written: WrittenArchive = { seals: 0, events: 0, last: undefined };
    let previous: Link = (await store.auditArchive.find()) ?? chainStart;
    for await (const seal of readSeals(store, { afterId: previous.id })) {
      if (seal.sealedAt >= before) break;
      const lines = await readChecked(seal, { previous, sealKey, store });
      await handle.appendFile(`${[...lines, sealLine(seal)].join("\n")}\n`);
      written = { seals: written.seals + 1, events: written.events + lines.length, last: seal };
      previous = seal;
    }
    if (written.last === undefined) throw new ArchiveError("There is nothing to archive before that moment.");
    await handle.sync();
    return written;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function createFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, "wx", 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "it exists already" : (code ?? "unknown");
    throw new ArchiveError(`${file} cannot be created: ${why}. Name a new file in an existing folder.`);
  }
}

async function readChecked(
  seal: AuditSeal,
  {
    previous,
    sealKey,
    store,
  }: { readonly previous: Link; readonly sealKey: Buffer; readonly store: Pick<Store, "auditEvents"> },
): Promise<readonly string[]> {
  const range = { afterId: previous.lastEventId, throughId: seal.lastEventId, limit: mostEvents };
  const events = await store.auditEvents.read(range);
  const found = { count: events.length, digest: digestEvents(events) };
  const fault = judgeSeal(seal, { previous, sealKey, found }).find(({ kind }) => kind !== "event_forged");
  if (fault !== undefined) {
    throw new ArchiveError(
      `Seal ${seal.id}: ${faultTexts[fault.kind]}. A trail that was tampered with is not archived. Run "authz-server audit verify", and keep the database as it is.`,
    );
  }
  return events.map(auditLine);
}
