import type { GroupProviderListStore } from "./group-provider-list.js";

/** Where groups come from: the claim of an identity provider, or a directory that is asked over HTTP. */
export type GroupProvider = ClaimGroupProvider | DirectoryGroupProvider;

interface NamedGroupProvider {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly enabled: boolean;
}

/** What an identity provider says in the claim `groups` at each sign-in. */
export interface ClaimGroupProvider extends NamedGroupProvider {
  readonly type: "claim";
  readonly identityProviderId: string;
}

/** An HTTP directory, asked while something is decided. */
export interface DirectoryGroupProvider extends NamedGroupProvider {
  readonly type: "directory";
  readonly url: string;
  /** Sealed by the credential vault, bound to `groupProviderSecretRow(id)`. */
  readonly secret: Buffer;
}

export interface GroupProviderStore extends GroupProviderListStore {
  find(id: string): Promise<GroupProvider | undefined>;
  findByKey(key: string): Promise<GroupProvider | undefined>;
  /** The one that takes the claim of this identity provider, enabled or not. */
  findByIdentityProvider(identityProviderId: string): Promise<GroupProvider | undefined>;
  /** Lets nobody remove it before the transaction ends; `false` when it is gone. */
  hold(id: string): Promise<boolean>;
  /** Inserts or replaces the row with this id. */
  save(provider: GroupProvider, at: Date): Promise<void>;
}
