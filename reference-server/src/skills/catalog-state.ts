import type { CatalogAttempt, CatalogState, SkillCatalog } from "../store/skill-catalogs.js";

/** How long a copy is fresh after a successful fetch. */
const freshSeconds = 15 * 60;

/** The state of a catalog at this moment. */
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

/**
 * Why skills of a publisher may be missing or old.
 *
 * `pending`: its catalog has not been fetched yet. `failed`: no attempt to fetch it succeeded. `refused`: what it published cannot be
 * shown. `stale`: the last good copy is too old. `undecided`: a group directory does not answer, so some skills are hidden.
 */
type GapState = "pending" | "failed" | "refused" | "stale" | "undecided";

/** A publisher whose skills may be missing or old. */
export interface CatalogGap {
  /** The key of the resource, or `installation`. */
  readonly publisher: string;
  /** `undefined` for the installation itself. */
  readonly publisherName: string | undefined;
  readonly state: GapState;
  /** Of the copy that is shown; `undefined` when there is none. */
  readonly fetchedAt: Date | undefined;
}

/** What is known about the catalog of one publisher. */
interface CatalogFacts {
  /** `undefined` for the installation, which has no catalog to fetch; `null` before the first attempt. */
  readonly attempt: CatalogAttempt | null | undefined;
  /** Whether the copy cannot be shown. */
  readonly isRefused: boolean;
  /** Whether a directory that is away may make more skills visible. */
  readonly hidesUndecided: boolean;
  readonly now: Date;
}

/** What may be missing from the skills of one publisher; `undefined` if nothing is. The state that hides most wins. */
export function gapOf(
  { key, name }: { readonly key: string; readonly name: string | undefined },
  facts: CatalogFacts,
): CatalogGap | undefined {
  const state = stateOf(facts);
  if (state === undefined) return undefined;
  const { attempt } = facts;
  const isShown = state !== "refused" && attempt !== undefined && attempt !== null;
  const fetchedAt = (isShown ? attempt.fetchedAt : null) ?? undefined;
  return { publisher: key, publisherName: name, state, fetchedAt };
}

function stateOf({ attempt, isRefused, hidesUndecided, now }: CatalogFacts): GapState | undefined {
  if (isRefused) return "refused";
  const state = attempt === undefined ? "fresh" : catalogState(attempt ?? undefined, now);
  if (state === "pending" || state === "failed") return state;
  if (hidesUndecided) return "undecided";
  const fetchedAt = attempt?.fetchedAt ?? now;
  return fetchedAt < freshAfter(now) ? "stale" : undefined;
}
