import type { Page, PageRequest } from "./page.js";
import type { User } from "./users.js";

/** A person as administrators see them. */
export interface ListedUser extends User {
  readonly lastSignedInAt: Date | null;
  readonly createdAt: Date;
  /** Live browser sessions. */
  readonly sessions: number;
  /** Live log-ins of clients. */
  readonly logIns: number;
  readonly version: number;
}

/** An account at a provider that a person signs in with. */
export interface UserIdentity {
  readonly provider: { readonly key: string; readonly name: string; readonly enabled: boolean };
  readonly subject: string;
  readonly createdAt: Date;
}

/** What an identity provider said about a person's groups, and the group provider that takes its word. */
export interface ClaimedUserGroups {
  readonly provider: { readonly key: string; readonly name: string; readonly enabled: boolean };
  readonly keys: readonly string[];
  readonly signedInAt: Date;
  readonly expiresAt: Date;
}

export type UserListRequest = PageRequest<"email" | "name" | "lastSignedInAt" | "createdAt"> & {
  readonly enabled: boolean | undefined;
  readonly now: Date;
};

export interface UserListStore {
  list(request: UserListRequest): Promise<Page<ListedUser>>;
  describe(id: string, now: Date): Promise<ListedUser | undefined>;
  /** Makes sign-ins of this person wait until the transaction ends. Returns whether the user exists. */
  lock(id: string): Promise<boolean>;
  listIdentities(userId: string): Promise<readonly UserIdentity[]>;
  listClaimedGroups(userId: string, now: Date): Promise<readonly ClaimedUserGroups[]>;
  /** How many enabled people can sign in at this provider and at no other enabled one. */
  countDependent(providerId: string): Promise<number>;
}
