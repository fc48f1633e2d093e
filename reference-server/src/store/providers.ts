import type { IdentityProviderListStore } from "./provider-list.js";

/** An upstream OpenID provider that people sign in at. */
export interface IdentityProvider {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  /** What the button says that leads there; `null`: the name. When it is absent, it stays as it is stored. */
  readonly buttonLabel?: string | null;
  readonly issuer: string;
  readonly clientId: string;
  /** Sealed by the credential vault, bound to `providerSecretRow(id)`; `null` for a client without one. */
  readonly clientSecret: Buffer | null;
  /** How the client proves who it is; `null` leaves it to what the provider's metadata offers. */
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod | null;
  /** Where the metadata is; `null` is the well-known address of the issuer. */
  readonly discoveryUrl: string | null;
  readonly scopes: readonly string[];
  /** Lower case; empty means that every domain is allowed. */
  readonly allowedEmailDomains: readonly string[];
  readonly enabled: boolean;
  /** Whether browsers come back to a callback that only this provider has. Decided once, when it is stored first. */
  readonly ownCallback?: boolean;
}

/** `none` is a client without a secret, protected by PKCE alone. */
export type TokenEndpointAuthMethod = "client_secret_basic" | "client_secret_post" | "none";

export interface IdentityProviderStore extends IdentityProviderListStore {
  find(id: string): Promise<IdentityProvider | undefined>;
  findByKey(key: string): Promise<IdentityProvider | undefined>;
  /** Every enabled provider, by key. */
  listEnabled(): Promise<readonly IdentityProvider[]>;
  /** Lets nobody remove an enabled provider before the transaction ends; `false` when there is none any more. */
  hold(id: string): Promise<boolean>;
  /** Whether a provider has the callback without a key; the next one gets its own. */
  isPlainCallbackTaken(): Promise<boolean>;
  /** Inserts or replaces the row with this id. */
  save(provider: IdentityProvider, at: Date): Promise<void>;
}
