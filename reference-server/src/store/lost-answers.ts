import { setTimeout as delay } from "node:timers/promises";
import type { AuditRow } from "./audit-events.js";
import { DatabaseUnavailableError } from "./database-unavailable-error.js";
import { type Database, prepared, translateDatabaseError } from "./postgres/database.js";

/** A statement that reached the database has usually ended by then. */
const lookAfterMilliseconds = 100;

/** After this time the request is answered with 503. */
const giveUpAfterMilliseconds = 2_000;

/** Type and time have an index. */
const storedSql = `
  SELECT data->>'tokenId' AS id FROM audit_events
  WHERE type = ANY ($1::text[]) AND at = ANY ($2::timestamptz[]) AND data->>'tokenId' = ANY ($3::text[])`;

/**
 * Finds out what a statement stored when the connection broke before its answer came.
 *
 * A found event was stored, with everything that belongs to it, by this very request: no other knows the id of its new token. So the
 * request can be answered, once. An event that is not found may still be stored a moment later; its outcome stays unknown.
 *
 * @returns the events that are there; none when the statement failed for another reason
 */
export async function findStored(
  database: Database,
  error: unknown,
  audits: readonly AuditRow[],
): Promise<ReadonlySet<AuditRow>> {
  if (!isAnswerLost(error)) return new Set();
  const tokenId = ({ data }: AuditRow) => String(data["tokenId"]);
  const values = [audits.map(({ type }) => type), audits.map(({ at }) => at), audits.map(tokenId)];
  const look = async () => {
    await delay(lookAfterMilliseconds);
    const rows = await prepared<{ id: string }>(database, {
      name: "stored_issuances",
      text: storedSql,
      values,
    });
    const ids = new Set(rows.map(({ id }) => id));
    return new Set(audits.filter((audit) => ids.has(tokenId(audit))));
  };
  const giveUp = delay(giveUpAfterMilliseconds, new Set<AuditRow>(), { ref: false });
  return await Promise.race([look().catch(() => new Set<AuditRow>()), giveUp]);
}

/** Without a connection nothing was sent, so the outcome is known. */
function isAnswerLost(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError || (error as Error).name === "KnexTimeoutError") return false;
  if (/^(?:55P03|57014)$/.test(String((error as { code?: unknown }).code))) return false;
  return translateDatabaseError(error) instanceof DatabaseUnavailableError;
}
