import type { Skill } from "@authz/skills";
import type { SkillSummary } from "./own-skills.js";
import type { Page, PageRequest } from "./page.js";

/** The last good copy of what a resource publishes, and how the last attempt to fetch it ended. */
export interface SkillCatalog {
  readonly resourceId: string;
  /** `null` until a fetch succeeded. */
  readonly items: readonly Skill[] | null;
  readonly fetchedAt: Date | null;
  readonly attemptedAt: Date | null;
  /** When the next fetch is due. */
  readonly refreshAt: Date;
  /** Why the last attempt failed; `null` after a success. */
  readonly failure: string | null;
}

/** A skill in a list, and who publishes it. */
export interface CatalogSkillSummary {
  readonly resourceId: string;
  readonly skill: SkillSummary;
}

/** A resource whose catalog a process has taken on to fetch. */
export interface DueCatalog {
  readonly resourceId: string;
  readonly resourceKey: string;
  readonly authorizationServer: string;
  /** Why the attempt before this one failed; `null` after a success. */
  readonly failure: string | null;
}

/** The catalog of a resource that publishes one, for a list: without what is in it. */
export interface ListedCatalog extends Omit<SkillCatalog, "items" | "refreshAt"> {
  readonly resourceKey: string;
  readonly resourceName: string;
  readonly authorizationServer: string;
  /** In the last good copy; `null` until there is one. */
  readonly skills: number | null;
  /** `null` until the first attempt was planned. */
  readonly refreshAt: Date | null;
}

export type CatalogSort = "key" | "attemptedAt";

/** `pending`: never tried. `stale`: the last good copy of a service that is away now. `failed`: no copy at all. */
export type CatalogState = "pending" | "fresh" | "stale" | "failed";

/** A copy that is older counts as stale, whatever the last attempt said. */
interface Freshness {
  readonly freshAfter: Date;
}

export interface SkillCatalogStore {
  /** The catalogs of enabled resources that publish one. */
  listPage(
    request: PageRequest<CatalogSort> & Freshness & { readonly states: readonly CatalogState[] | undefined },
  ): Promise<Page<ListedCatalog>>;
  countStates(freshness: Freshness): Promise<Readonly<Record<CatalogState, number>>>;
  /** Takes on one catalog, due or not; `undefined` while a process is fetching it, or when there is none to fetch. */
  take(lease: { resourceId: string; now: Date; leaseUntil: Date }): Promise<DueCatalog | undefined>;
  /** One catalog with the texts of its skills. */
  find(resourceId: string): Promise<SkillCatalog | undefined>;
  /** The skills of these resources, each catalog in its own order. */
  listSkills(resourceIds: readonly string[]): Promise<readonly CatalogSkillSummary[]>;
  findSkill(skill: { resourceId: string; id: string }): Promise<Skill | undefined>;
  /**
   * Takes on catalogs that are due by `dueBefore` and moves their `refreshAt` to `leaseUntil` in one statement, so that
   * among all processes one fetches each.
   */
  takeDue(due: { dueBefore: Date; leaseUntil: Date; limit: number }): Promise<readonly DueCatalog[]>;
  saveSuccess(result: {
    resourceId: string;
    items: readonly Skill[];
    at: Date;
    refreshAt: Date;
  }): Promise<void>;
  /** Keeps the last good copy. */
  saveFailure(result: { resourceId: string; failure: string; at: Date; refreshAt: Date }): Promise<void>;
}
