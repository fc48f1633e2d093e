import type { Skill } from "@authz/skills";

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

/** A resource whose catalog a process has taken on to fetch. */
export interface DueCatalog {
  readonly resourceId: string;
  readonly resourceKey: string;
  readonly authorizationServer: string;
  /** Why the attempt before this one failed; `null` after a success. */
  readonly failure: string | null;
}

export interface SkillCatalogStore {
  find(resourceId: string): Promise<SkillCatalog | undefined>;
  /** The catalogs of these resources, in no particular order. */
  findAll(resourceIds: readonly string[]): Promise<readonly SkillCatalog[]>;
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
