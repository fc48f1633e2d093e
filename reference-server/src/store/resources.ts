/** A registered service: what assertions are issued for, and where clients may send requests. */
export interface Resource {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  /** The resource identifier, `aud` of the service's access tokens. */
  readonly resource: string;
  /** The service's own issuer, `aud` of identity assertions. */
  readonly authorizationServer: string;
  /** The command-line client's id at the service. */
  readonly clientId: string;
  readonly requestPrefixes: readonly string[];
  readonly supportedScopes: readonly string[];
  readonly enabled: boolean;
  readonly skillDiscovery: boolean;
  /** Takes identity assertions that are bound to no key. */
  readonly allowsBearer: boolean;
}

export interface ResourceStore {
  findByKey(key: string): Promise<Resource | undefined>;
  /** The resource with this identifier, enabled or not. */
  findByIdentifier(resource: string): Promise<Resource | undefined>;
  /** Every enabled resource, by key. */
  listEnabled(): Promise<readonly Resource[]>;
  /** Inserts or replaces the row with this id, and its supported scopes. */
  save(resource: Resource, at: Date): Promise<void>;
}
