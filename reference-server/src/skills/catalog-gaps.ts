import type { CatalogAttempt } from "../store/skill-catalogs.js";
import { catalogState, freshAfter } from "./catalog-state.js";

/**
 * Why skills of a publisher may be missing or old.
 *
 * `pending`: nobody has read its catalog yet. `failed`: no attempt to read it succeeded. `refused`: what it published cannot be shown.
 * `stale`: the last good copy is older than it should be; an attempt that failed since then hides nothing yet. `undecided`: a group directory does not answer, so some skills
 * that the person may see are hidden.
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
  /** `undefined` for the installation, which nobody has to ask; `null` before the first attempt. */
  readonly attempt: CatalogAttempt | null | undefined;
  /** Whether the copy cannot be shown. */
  readonly isRefused: boolean;
  /** Whether a directory that is away may show more. */
  readonly hidesUndecided: boolean;
  readonly now: Date;
}

/** What may be missing from the skills of one publisher; `undefined` when nothing is. The one that hides most counts. */
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
