import type { AuditSeal } from "../../store/audit-seals.js";
import type { Store } from "../../store/store.js";
import { auditLine } from "../canonical.js";
import { recordAudit } from "../record.js";
import { archiveMac, chainStart, type Link } from "../seal.js";
import { ArchiveError } from "./archive-error.js";
import { type ArchivedPart, readArchive, verifyArchive } from "./read-archive.js";

/** Events per transaction: few enough to delay no other work. */
const batchEvents = 5_000;
const batchSeals = 500;
/** A copy of an event that is put back later is recognised by its age: see `event-proof.ts`. */
const youngestSeconds = 2 * 24 * 3600;
/** Only a forger gives out such ids. */
const smallestId = "-9223372036854775808";

export interface RemovalContext {
  readonly store: Store;
  readonly sealKey: Buffer;
  readonly clock: () => number;
}

/** What was removed. */
export interface Removal {
  readonly events: number;
  readonly seals: number;
}

/**
 * Removes what an archive contains, and nothing else, from the audit trail. The chain goes on behind it.
 *
 * The whole archive is compared with its seals first, and each batch with the database in the transaction that removes it.
 * An interrupted removal continues where it stopped.
 *
 * @throws {ArchiveError} The archive is not intact, does not continue what was removed, or is not what the database has.
 */
export async function removeArchived(file: string, context: RemovalContext): Promise<Removal> {
  const { store, sealKey } = context;
  const report = await verifyArchive(file, { sealKey });
  if (report.faults.some(({ kind }) => kind !== "event_forged")) {
    throw new ArchiveError(`${file} is not intact. "authz-server audit verify-archive" says where.`);
  }
  let end: Link = (await store.auditArchive.find()) ?? chainStart;
  await requireRemovable(report, { file, end, context });
  let events = 0;
  let seals = 0;
  for await (const batch of batchesOf(file, end.id)) {
    end = await removeBatch(batch, { end, archive: report.sha256, context });
    events += batch.flatMap(({ lines }) => lines).length;
    seals += batch.length;
  }
  return { events, seals };
}

async function requireRemovable(
  { after, last }: { readonly after: Link; readonly last: AuditSeal },
  { file, end, context }: { readonly file: string; readonly end: Link; readonly context: RemovalContext },
): Promise<void> {
  const { store, clock } = context;
  if (after.id > end.id) {
    throw new ArchiveError(
      `${file} begins after seal ${after.id}, and the database has older ones. Archive and remove those first.`,
    );
  }
  if (last.id <= end.id) throw new ArchiveError(`Everything in ${file} was removed already.`);
  if (last.sealedAt.getTime() > clock() - youngestSeconds * 1000) {
    throw new ArchiveError(
      `${file} has events of the last two days. Those stay: archive up to an earlier day.`,
    );
  }
  const { throughEventId } = await store.auditSearch.progress();
  if (BigInt(throughEventId) < BigInt(last.lastEventId)) {
    throw new ArchiveError(`The search has not indexed every event of ${file} yet. Try again later.`);
  }
}

async function* batchesOf(file: string, removedThrough: number): AsyncGenerator<readonly ArchivedPart[]> {
  let batch: ArchivedPart[] = [];
  let events = 0;
  for await (const part of readArchive(file)) {
    if (part.seal.id <= removedThrough) continue;
    batch.push(part);
    events += part.lines.length;
    if (events < batchEvents && batch.length < batchSeals) continue;
    yield batch;
    batch = [];
    events = 0;
  }
  if (batch.length > 0) yield batch;
}

async function removeBatch(
  batch: readonly ArchivedPart[],
  {
    end,
    archive,
    context,
  }: { readonly end: Link; readonly archive: string; readonly context: RemovalContext },
): Promise<Link> {
  const { store, sealKey, clock } = context;
  const last = batch.at(-1)?.seal;
  if (last === undefined) return end;
  const lines = batch.flatMap((part) => part.lines);
  await store.transaction(async (transaction) => {
    await requireSame(batch, lines, { end, store: transaction });
    const moved = { ...last, mac: archiveMac(last, sealKey) };
    if (!(await transaction.auditArchive.advance(moved, { sealId: end.id }))) {
      throw new ArchiveError("Somebody else is removing archived events right now. Nothing was done twice.");
    }
    const removed = await transaction.auditArchive.removeThrough(last);
    if (removed !== lines.length) throw new ArchiveError("The audit trail changed meanwhile. Try again.");
    await recordAudit(transaction, {
      type: "audit.removed",
      outcome: "success",
      actor: { type: "operator" },
      at: new Date(clock()),
      data: {
        events: lines.length,
        seals: batch.length,
        throughEvent: last.lastEventId,
        throughSeal: last.id,
        digest: last.digest.toString("hex"),
        archive,
      },
    });
  });
  return last;
}

/** Requires the database to have exactly what is in the archive, byte for byte. */
async function requireSame(
  batch: readonly ArchivedPart[],
  lines: readonly string[],
  { end, store }: { readonly end: Link; readonly store: Store },
): Promise<void> {
  const throughId = batch.at(-1)?.seal.lastEventId ?? end.lastEventId;
  const range = { afterId: smallestId, throughId, limit: lines.length + 1 };
  const events = await store.auditEvents.read(range);
  const seals = await store.auditSeals.list({ afterId: 0, limit: batch.length });
  const isSame =
    events.length === lines.length &&
    events.every((event, index) => auditLine(event) === lines[index]) &&
    seals.length === batch.length &&
    seals.every(({ digest }, index) => batch[index]?.seal.digest.equals(digest) === true);
  if (isSame) return;
  throw new ArchiveError(
    `The database and the archive differ between the seals ${end.id + 1} and ${batch.at(-1)?.seal.id ?? end.id}. None of them was removed. Run "authz-server audit verify".`,
  );
}
