import type { Grant, RevocationReason } from "./grants.js";
import type { Page, PageRequest } from "./page.js";
import type { ListedPerson } from "./session-list.js";

/** A log-in of a client as administrators see it. */
export interface ListedGrant extends Omit<Grant, "userId" | "clientId"> {
  readonly user: ListedPerson;
  readonly client: { readonly id: string; readonly name: string };
  readonly revocationReason: string | null;
}

export type GrantListRequest = PageRequest<"createdAt"> & {
  readonly userId: string | undefined;
  readonly clientId: string | undefined;
  /** `undefined`: both. */
  readonly state: "live" | "ended" | undefined;
  readonly now: Date;
};

/** A log-in that has been revoked. */
export type RevokedGrant = Pick<Grant, "id" | "userId" | "clientId">;

interface Revocation {
  readonly reason: RevocationReason;
  readonly at: Date;
}

export interface GrantListStore {
  /** `q` is looked for in the people's names and addresses. */
  list(request: GrantListRequest): Promise<Page<ListedGrant>>;
  /** Revokes those of these that are live. Returns them. */
  revokeMany(revocation: Revocation & { readonly ids: readonly string[] }): Promise<readonly RevokedGrant[]>;
  /** Revokes every live log-in of a person. Returns them. */
  revokeAll(revocation: Revocation & { readonly userId: string }): Promise<readonly RevokedGrant[]>;
}
