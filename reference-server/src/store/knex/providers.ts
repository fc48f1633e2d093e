import type { IdentityProvider, IdentityProviderStore, TokenEndpointAuthMethod } from "../providers.js";
import type { Database } from "./database.js";
import { createIdentityProviderListStore } from "./provider-list.js";

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

export function createIdentityProviderStore(database: Database): IdentityProviderStore {
  const providers = () => database<ProviderRow>("identity_providers");

  return {
    ...createIdentityProviderListStore(database),

    async find(id) {
      const row = await providers().first().where({ id });
      return row && fromRow(row);
    },
    async findByKey(key) {
      const row = await providers().first().where({ key });
      return row && fromRow(row);
    },
    async listEnabled() {
      const rows = await providers().where({ enabled: true }).orderBy("key");
      return rows.map(fromRow);
    },
    async hold(id) {
      return (await providers().select("id").where({ id, enabled: true }).forKeyShare()).length > 0;
    },
    isPlainCallbackTaken: async () =>
      (await providers().first("id").where({ own_callback: false })) !== undefined,
    async save(provider, at) {
      const { id, ...row } = toRow(provider);
      const ownCallback = database.raw("EXISTS (SELECT FROM identity_providers WHERE NOT own_callback)");
      await database("identity_providers")
        .insert({ id, ...row, own_callback: ownCallback, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("identity_providers.version + 1") });
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
