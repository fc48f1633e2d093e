import type { CatalogState, SkillCatalog } from "../store/skill-catalogs.js";

/** How long a copy counts as fresh without a new success. */
const freshSeconds = 15 * 60;

/** Where a catalog stands at this moment. */
export function catalogState(
  catalog: Pick<SkillCatalog, "attemptedAt" | "fetchedAt" | "failure"> | undefined,
  now: Date,
): CatalogState {
  if (catalog === undefined || catalog.attemptedAt === null) return "pending";
  if (catalog.fetchedAt === null) return "failed";
  if (catalog.failure !== null) return "stale";
  return catalog.fetchedAt < freshAfter(now) ? "stale" : "fresh";
}

/** A copy that was fetched before is stale at this moment. */
export function freshAfter(now: Date): Date {
  return new Date(now.getTime() - freshSeconds * 1000);
}
