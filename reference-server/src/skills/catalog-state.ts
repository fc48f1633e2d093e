import type { SkillCatalog } from "../store/skill-catalogs.js";

/** `pending`: never tried. `stale`: the last good copy of a service that is away now. `failed`: no copy at all. */
export type CatalogState = "pending" | "fresh" | "stale" | "failed";

/** How long a copy counts as fresh without a new success. */
const freshSeconds = 15 * 60;

/** Where a catalog stands at this moment. */
export function catalogState(catalog: SkillCatalog | undefined, now: Date): CatalogState {
  if (catalog === undefined || catalog.attemptedAt === null) return "pending";
  if (catalog.items === null || catalog.fetchedAt === null) return "failed";
  if (catalog.failure !== null) return "stale";
  return now.getTime() - catalog.fetchedAt.getTime() > freshSeconds * 1000 ? "stale" : "fresh";
}
