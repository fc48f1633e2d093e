import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { AuditSeal } from "../../store/audit-seals.js";
import { chainStart, type Link } from "../seal.js";
import { type AuditFault, judgeSeal } from "../verify-chain.js";
import { ArchiveError } from "./archive-error.js";

/** The most events between two seals; no archive of this server has more. */
const mostEvents = 100_000;

const eventId = z.string().regex(/^-?\d{1,19}$/);
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((text) => Buffer.from(text, "hex"));

const sealSchema = z.strictObject({
  id: z.int().min(1),
  firstEventId: eventId,
  lastEventId: eventId,
  eventCount: z.int().min(1),
  eventsDigest: digest,
  previousDigest: digest,
  digest,
  mac: digest,
  sealedAt: z.iso.datetime().transform((text) => new Date(text)),
  unproven: z.array(eventId).max(mostEvents),
});

/** One seal of an archive, with the lines of its events as they stand there. */
export interface ArchivedPart {
  readonly seal: AuditSeal;
  readonly lines: readonly string[];
}

/** Reads an archive part by part. @throws {ArchiveError} It cannot be read, or is none. */
export async function* readArchive(file: string): AsyncGenerator<ArchivedPart> {
  let lines: string[] = [];
  let number = 0;
  const input = createReadStream(file);
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      const value = parseLine(line, `${file}, line ${number}`);
      if (!("eventsDigest" in value)) {
        lines.push(line);
        if (lines.length > mostEvents) throw new ArchiveError(`${file}, line ${number}: a seal is missing.`);
        continue;
      }
      const seal = sealSchema.safeParse(value);
      if (!seal.success) throw new ArchiveError(`${file}, line ${number}: this is not a seal.`);
      yield { seal: seal.data, lines };
      lines = [];
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== "string") throw error;
    throw new ArchiveError(`${file} cannot be read (${code}).`, { cause: error });
  } finally {
    input.destroy();
  }
  if (lines.length > 0 || number === 0) {
    throw new ArchiveError(`${file} is not complete: it does not end with a seal.`);
  }
}

function parseLine(line: string, place: string): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Reported below.
  }
  throw new ArchiveError(`${place}: this is not a line of an archive.`);
}

/** What comparing an archive with its own seals found. It needs no database. */
export interface ArchiveReport {
  readonly seals: number;
  readonly events: number;
  readonly faults: readonly AuditFault[];
  /** The seal before the first one of the archive. */
  readonly after: Link;
  readonly last: AuditSeal;
  /** SHA-256 of the file. */
  readonly sha256: string;
  /** Whether a seal has the digest that was asked for. */
  readonly containsDigest: boolean;
}

/**
 * Compares everything in an archive with its seals.
 *
 * @param previous - what the archive has to continue; the first seal of the chain continues nothing
 */
export async function verifyArchive(
  file: string,
  {
    sealKey,
    previous: given,
    digest: wanted,
  }: { readonly sealKey: Buffer; readonly previous?: Link; readonly digest?: string },
): Promise<ArchiveReport> {
  const faults: AuditFault[] = [];
  const fileHash = createHash("sha256");
  let after = given;
  let last: AuditSeal | undefined;
  let seals = 0;
  let events = 0;
  let containsDigest = false;
  for await (const { seal, lines } of readArchive(file)) {
    after ??= before(seal);
    const hash = createHash("sha256");
    for (const line of lines) hash.update(`${line}\n`);
    const found = { count: lines.length, digest: hash.digest() };
    faults.push(...judgeSeal(seal, { previous: last ?? after, sealKey, found }));
    seals += 1;
    events += lines.length;
    containsDigest ||= seal.digest.toString("hex") === wanted;
    last = seal;
  }
  for await (const chunk of createReadStream(file)) fileHash.update(chunk as Buffer);
  if (after === undefined || last === undefined) throw new ArchiveError(`${file} has no seal.`);
  return { seals, events, faults, after, last, sha256: fileHash.digest("hex"), containsDigest };
}

/** The link that the first seal of an archive continues. */
function before({ id, firstEventId, previousDigest }: AuditSeal): Link {
  if (id === 1) return chainStart;
  return { id: id - 1, lastEventId: String(BigInt(firstEventId) - 1n), digest: previousDigest };
}
