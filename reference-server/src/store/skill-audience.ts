import type { Page, PageRequest } from "./page.js";

/** Somebody who has every one of some scopes. */
export interface AudienceMember {
  /** `null`: has never signed in with this address. */
  readonly id: string | null;
  readonly email: string;
  readonly name: string | null;
}

/** People who have all of some scopes, as far as the database can say. */
export interface SkillAudienceStore {
  count(audience: { scopes: readonly string[]; now: Date }): Promise<number>;
  listPage(
    request: PageRequest<"email"> & { readonly scopes: readonly string[]; readonly now: Date },
  ): Promise<Page<AudienceMember>>;
}
