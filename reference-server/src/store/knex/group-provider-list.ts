import type {
  GroupName,
  GroupProviderListStore,
  KnownGroup,
  ListedGroupProvider,
} from "../group-provider-list.js";
import type { Page } from "../page.js";
import type { Database } from "./database.js";
import { containsPattern, type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"key" | "name"> = {
  id: { sql: "p.id", type: "uuid" },
  sorts: { key: { sql: "p.key", type: "text" }, name: { sql: "lower(p.name)", type: "text" } },
};
const groupColumns: PageColumns<"key"> = {
  id: { sql: "k.provider_id", type: "uuid" },
  sorts: { key: { sql: "k.key", type: "text" } },
};

const listedSql = `p.id, p.key, p.name, p.type, p.url, p.enabled, p.version, p.created_at AS "createdAt",
  p.updated_at AS "updatedAt",
  (SELECT i.key FROM identity_providers i WHERE i.id = p.identity_provider_id) AS "identityProvider",
  (SELECT count(*)::integer FROM assignments a WHERE a.group_provider_id = p.id) AS assignments`;

const groupSql = `k.key, json_build_object('key', p.key, 'name', p.name, 'type', p.type, 'enabled', p.enabled) AS provider,
  CASE WHEN p.type = 'claim' THEN (
    SELECT count(*)::integer FROM user_groups g
    WHERE g.provider_id = p.identity_provider_id AND g.groups @> ARRAY[k.key] AND g.expires_at > :now
  ) END AS people,
  (SELECT count(*)::integer FROM assignments a
    WHERE a.group_provider_id = k.provider_id AND a.group_key = k.key) AS assignments`;

/** There are a hundred providers at most, so what is looked for among them needs no index; their groups do. */
export function createGroupProviderListStore(database: Database): GroupProviderListStore {
  const listed = () => database("group_providers AS p").select(database.raw(listedSql));

  return {
    async list({ type, enabled, ...request }) {
      const query = listed();
      if (type !== undefined) void query.where("p.type", type);
      if (enabled !== undefined) void query.where("p.enabled", enabled);
      if (request.q !== undefined) {
        void query.whereRaw("lower(p.key || ' ' || p.name) LIKE ?", [containsPattern(request.q)]);
      }
      return await selectPage(query, { columns, request });
    },
    async describe(key) {
      const [row] = (await listed().where("p.key", key)) as ListedGroupProvider[];
      return row;
    },
    async count() {
      const [row] = await database("group_providers").count<{ count: string }[]>();
      return Number(row?.count);
    },
    async listGroups({ provider, now, ...request }): Promise<Page<KnownGroup>> {
      const query = database("known_groups AS k")
        .join("group_providers AS p", "p.id", "k.provider_id")
        .select(database.raw(groupSql, { now }));
      if (provider !== undefined) {
        const id = database("group_providers").select("id").where({ key: provider });
        void query.where("k.provider_id", id);
      }
      whereWords(query, "k.words", request.q);
      return await selectPage(query, { columns: groupColumns, request });
    },
    async findKnownGroups(groups) {
      const named = "SELECT * FROM unnest(?::text[], ?::text[]) AS named (provider, key)";
      return await database("known_groups AS k")
        .join("group_providers AS p", "p.id", "k.provider_id")
        .whereRaw(`(p.key, k.key) IN (${named})`, [
          groups.map(({ provider }) => provider),
          groups.map(({ key }) => key),
        ])
        .select<GroupName[]>("p.key AS provider", "k.key");
    },
    async listAssignedScopes(id) {
      const rows = await database("assignments")
        .distinct<{ scope_key: string }[]>("scope_key")
        .where({ group_provider_id: id })
        .orderBy("scope_key");
      return rows.map((row) => row.scope_key);
    },
    async remove(id) {
      // First, as sign-ins do: whoever waits for the other then waits here.
      await database("group_providers").select("id").where({ id }).forUpdate();
      const claim = database("group_providers").select("identity_provider_id").where({ id });
      await database("user_groups").whereIn("provider_id", claim).delete();
      await database("group_providers").where({ id }).delete();
    },
  };
}
