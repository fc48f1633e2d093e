import { setTimeout as delay } from "node:timers/promises";
import { DatabaseUnavailableError } from "../store.js";
import { type Database, prepared, translateDatabaseError } from "./database.js";

/** A statement that reached the database has usually ended by then. */
const lookAfterMilliseconds = 100;
/** Who cannot know by then is answered with 503, as if nobody had looked. */
const giveUpAfterMilliseconds = 2_000;

const questions = {
  refreshTokens: "SELECT encode(hash, 'hex') AS id FROM refresh_tokens WHERE hash = ANY ($1::bytea[])",
  grants: "SELECT id::text AS id FROM grants WHERE id = ANY ($1::uuid[])",
} as const;

/**
 * Finds out what a statement stored when the connection broke before its answer came.
 *
 * What is found was stored with everything that belongs to it, by this very request: nobody else knows these new ids.
 * So the request can be answered, once, instead of leaving its client with a secret that is used up. What is not
 * found may still be stored a moment later; it stays unknown.
 *
 * @returns the ids that are there; none when the statement failed for another reason
 */
export async function findStored(
  database: Database,
  error: unknown,
  { kind, ids }: { readonly kind: keyof typeof questions; readonly ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (!isAnswerLost(error)) return new Set();
  const statement = { name: `stored_${kind}`, text: questions[kind], values: [ids] };
  const look = async () => {
    await delay(lookAfterMilliseconds);
    const rows = await prepared<{ id: string }>(database, statement);
    return new Set(rows.map(({ id }) => id));
  };
  const giveUp = delay(giveUpAfterMilliseconds, new Set<string>(), { ref: false });
  return await Promise.race([look().catch(() => new Set<string>()), giveUp]);
}

/** A connection that was never made has sent nothing, so nothing is in doubt. */
function isAnswerLost(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError || (error as Error).name === "KnexTimeoutError") return false;
  if (/^(?:55P03|57014)$/.test(String((error as { code?: unknown }).code))) return false;
  return translateDatabaseError(error) instanceof DatabaseUnavailableError;
}
