/** An upstream OpenID provider that people sign in at. */
export interface IdentityProvider {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Sealed by the credential vault, bound to `providerSecretRow(id)`. */
  readonly clientSecret: Buffer;
  readonly scopes: readonly string[];
  /** Lower case; empty means that every domain is allowed. */
  readonly allowedEmailDomains: readonly string[];
  readonly enabled: boolean;
}

export interface IdentityProviderStore {
  find(id: string): Promise<IdentityProvider | undefined>;
  findByKey(key: string): Promise<IdentityProvider | undefined>;
  /** Every enabled provider, by key. */
  listEnabled(): Promise<readonly IdentityProvider[]>;
  /** Inserts or replaces the row with this id. */
  save(provider: IdentityProvider, at: Date): Promise<void>;
}
