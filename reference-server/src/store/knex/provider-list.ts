import type { IdentityProviderListStore, ListedIdentityProvider } from "../provider-list.js";
import type { Database } from "./database.js";
import { containsPattern, type PageColumns, selectPage } from "./page.js";

const columns: PageColumns<"key" | "name"> = {
  id: { sql: "i.id", type: "uuid" },
  sorts: { key: { sql: "i.key", type: "text" }, name: { sql: "lower(i.name)", type: "text" } },
};

const listedSql = `i.id, i.key, i.name, i.button_label AS "buttonLabel", i.issuer, i.client_id AS "clientId", i.client_secret AS "clientSecret",
  i.token_endpoint_auth_method AS "tokenEndpointAuthMethod", i.discovery_url AS "discoveryUrl", i.scopes,
  i.allowed_email_domains AS "allowedEmailDomains", i.enabled, i.own_callback AS "ownCallback", i.version, i.created_at AS "createdAt",
  i.updated_at AS "updatedAt",
  (SELECT count(*)::integer FROM user_identities a WHERE a.provider_id = i.id) AS people,
  (SELECT p.key FROM group_providers p WHERE p.identity_provider_id = i.id) AS "groupProvider"`;

/** There are a hundred of them at most, so what is looked for needs no index. */
export function createIdentityProviderListStore(database: Database): IdentityProviderListStore {
  const listed = () => database("identity_providers AS i").select(database.raw(listedSql));

  return {
    async list({ enabled, ...request }) {
      const query = listed();
      if (enabled !== undefined) void query.where("i.enabled", enabled);
      if (request.q !== undefined) {
        const searched = "lower(i.key || ' ' || i.name || ' ' || i.issuer) LIKE ?";
        void query.whereRaw(searched, [containsPattern(request.q)]);
      }
      return await selectPage(query, { columns, request });
    },
    async describe(key) {
      const [row] = (await listed().where("i.key", key)) as ListedIdentityProvider[];
      return row;
    },
    async count() {
      const [row] = await database("identity_providers").count<{ count: string }[]>();
      return Number(row?.count);
    },
    async forgetAccounts(id) {
      await database("user_identities").where({ provider_id: id }).delete();
      await database("user_groups").where({ provider_id: id }).delete();
      await database("browser_sessions").where({ provider_id: id }).delete();
      await database("sign_in_attempts").where({ provider_id: id }).delete();
    },
    async remove(id) {
      await database("identity_providers").where({ id }).delete();
    },
  };
}
