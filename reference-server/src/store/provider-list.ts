import type { Page, PageRequest } from "./page.js";
import type { IdentityProvider } from "./providers.js";

/** An identity provider as administrators see it. */
export interface ListedIdentityProvider extends IdentityProvider {
  /** How many people have signed in there. */
  readonly people: number;
  /** Key of the group provider that takes its groups claim. */
  readonly groupProvider: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

export type IdentityProviderListRequest = PageRequest<"key" | "name"> & {
  readonly enabled: boolean | undefined;
};

export interface IdentityProviderListStore {
  list(request: IdentityProviderListRequest): Promise<Page<ListedIdentityProvider>>;
  describe(key: string): Promise<ListedIdentityProvider | undefined>;
  count(): Promise<number>;
  /** Forgets the accounts, sessions and groups that came from it; people are recognised by their address at the next sign-in. */
  forgetAccounts(id: string): Promise<void>;
  /** Removes it with the accounts, sessions and groups that came from it. */
  remove(id: string): Promise<void>;
}
