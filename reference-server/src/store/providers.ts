import { containsPattern, type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import type { Database } from "./postgres/database.js";

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

interface ProviderRow {
  id: string;
  key: string;
  name: string;
  button_label: string | null;
  issuer: string;
  client_id: string;
  client_secret: Buffer | null;
  token_endpoint_auth_method: TokenEndpointAuthMethod | null;
  discovery_url: string | null;
  scopes: string[];
  allowed_email_domains: string[];
  enabled: boolean;
  own_callback: boolean;
}

const pageColumns: PageColumns<"key" | "name"> = {
  id: { sql: "i.id", type: "uuid" },
  sorts: { key: { sql: "i.key", type: "text" }, name: { sql: "lower(i.name)", type: "text" } },
};

const listedSql = `i.id, i.key, i.name, i.button_label AS "buttonLabel", i.issuer, i.client_id AS "clientId", i.client_secret AS "clientSecret",
  i.token_endpoint_auth_method AS "tokenEndpointAuthMethod", i.discovery_url AS "discoveryUrl", i.scopes,
  i.allowed_email_domains AS "allowedEmailDomains", i.enabled, i.own_callback AS "ownCallback", i.version, i.created_at AS "createdAt",
  i.updated_at AS "updatedAt",
  (SELECT count(*)::integer FROM user_identities a WHERE a.provider_id = i.id) AS people,
  (SELECT p.key FROM group_providers p WHERE p.identity_provider_id = i.id) AS "groupProvider"`;

export function createIdentityProviderStore(database: Database) {
  const providers = () => database<ProviderRow>("identity_providers");
  const listed = () => database("identity_providers AS i").select(database.raw(listedSql));

  return {
    async find(id: string): Promise<IdentityProvider | undefined> {
      const row = await providers().first().where({ id });
      return row && fromRow(row);
    },
    async findByKey(key: string): Promise<IdentityProvider | undefined> {
      const row = await providers().first().where({ key });
      return row && fromRow(row);
    },
    /** Every enabled provider, by key. */
    async listEnabled(): Promise<readonly IdentityProvider[]> {
      const rows = await providers().where({ enabled: true }).orderBy("key");
      return rows.map(fromRow);
    },
    /** Lets nobody remove an enabled provider before the transaction ends; `false` when there is none any more. */
    async hold(id: string): Promise<boolean> {
      return (await providers().select("id").where({ id, enabled: true }).forKeyShare()).length > 0;
    },
    /** Whether a provider has the callback without a key; the next one gets its own. */
    isPlainCallbackTaken: async (): Promise<boolean> =>
      (await providers().first("id").where({ own_callback: false })) !== undefined,
    /** Inserts or replaces the row with this id. */
    async save(provider: IdentityProvider, at: Date): Promise<void> {
      const { id, ...row } = toRow(provider);
      const ownCallback = database.raw("EXISTS (SELECT FROM identity_providers WHERE NOT own_callback)");
      await database("identity_providers")
        .insert({ id, ...row, own_callback: ownCallback, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("identity_providers.version + 1") });
    },
    async list({ enabled, ...request }: IdentityProviderListRequest): Promise<Page<ListedIdentityProvider>> {
      const query = listed();
      if (enabled !== undefined) void query.where("i.enabled", enabled);
      if (request.q !== undefined) {
        const searched = "lower(i.key || ' ' || i.name || ' ' || i.issuer) LIKE ?";
        void query.whereRaw(searched, [containsPattern(request.q)]);
      }
      return await selectPage(query, { columns: pageColumns, request });
    },
    async describe(key: string): Promise<ListedIdentityProvider | undefined> {
      const [row] = (await listed().where("i.key", key)) as ListedIdentityProvider[];
      return row;
    },
    async count(): Promise<number> {
      const [row] = await database("identity_providers").count<{ count: string }[]>();
      return Number(row?.count);
    },
    /** Forgets the accounts, sessions and groups that came from it; people are recognised by their address at the next sign-in. */
    async forgetAccounts(id: string): Promise<void> {
      await database("user_identities").where({ provider_id: id }).delete();
      await database("user_groups").where({ provider_id: id }).delete();
      await database("browser_sessions").where({ provider_id: id }).delete();
      await database("sign_in_attempts").where({ provider_id: id }).delete();
    },
    /** Removes it with the accounts, sessions and groups that came from it. */
    async remove(id: string): Promise<void> {
      await database("identity_providers").where({ id }).delete();
    },
  };
}

function fromRow(row: ProviderRow): IdentityProvider {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    buttonLabel: row.button_label,
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: row.client_secret,
    tokenEndpointAuthMethod: row.token_endpoint_auth_method,
    discoveryUrl: row.discovery_url,
    scopes: row.scopes,
    allowedEmailDomains: row.allowed_email_domains,
    enabled: row.enabled,
    ownCallback: row.own_callback,
  };
}

function toRow(
  provider: IdentityProvider,
): Omit<ProviderRow, "button_label" | "own_callback"> & Pick<Partial<ProviderRow>, "button_label"> {
  return {
    id: provider.id,
    key: provider.key,
    name: provider.name,
    ...(provider.buttonLabel !== undefined && { button_label: provider.buttonLabel }),
    issuer: provider.issuer,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    token_endpoint_auth_method: provider.tokenEndpointAuthMethod,
    discovery_url: provider.discoveryUrl,
    scopes: [...provider.scopes],
    allowed_email_domains: [...provider.allowedEmailDomains],
    enabled: provider.enabled,
  };
}
