import type { AuditFilter, AuditRecord } from "../store/audit-events.js";
import type { Store } from "../store/store.js";
import { searchTerms } from "./event-words.js";

/** A page of the audit trail, newest first. */
export interface AuditPage {
  readonly items: readonly AuditRecord[];
  /** Continue here; `null` at the end. */
  readonly nextCursor: string | null;
}

export interface AuditSearch extends AuditFilter {
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** Words that each event must have, or have a word that begins so. Only events that are indexed are found by it. */
  readonly q?: string;
  /** 1 to 200; default 50. */
  readonly limit?: number;
}

/** The search cannot be understood; the message says which part. */
export class AuditSearchError extends Error {
  override readonly name = "AuditSearchError";
}

/**
 * Searches the audit trail. Events that are stored meanwhile do not shift the pages.
 *
 * @throws {AuditSearchError} The cursor or the limit is not usable.
 */
export async function searchAuditEvents(
  store: Pick<Store, "auditSearch">,
  { cursor, limit = 50, q = "", ...filter }: AuditSearch,
): Promise<AuditPage> {
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
    throw new AuditSearchError("The limit is a whole number from 1 to 200.");
  }
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const search = { ...filter, ...(before !== undefined && { before }), limit: limit + 1 };
  const terms = searchTerms(q);
  const hasNoWords = q.trim() !== "" && terms.length === 0;
  const found = hasNoWords ? [] : await store.auditSearch.find({ ...search, terms });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? formatCursor(last) : null };
}

function formatCursor({ at, id }: AuditRecord): string {
  return Buffer.from(`${at} ${id}`).toString("base64url");
}

function parseCursor(cursor: string): Pick<AuditRecord, "at" | "id"> {
  const text = Buffer.from(cursor, "base64url").toString();
  const [, at, id] = /^(\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) (\d{1,18})$/.exec(text) ?? [];
  const parsable = at !== undefined && !Number.isNaN(Date.parse(at));
  if (!parsable || id === undefined) throw new AuditSearchError("The cursor is not one of this server's.");
  return { at, id };
}
