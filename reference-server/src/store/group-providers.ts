import { liveSql } from "./live-assignment.js";
import {
  type Page,
  type PageColumns,
  type PageRequest,
  selectPage,
  whereContains,
  whereWords,
} from "./page.js";
import { roleScopes } from "./system-scopes.js";
import type { Database } from "./postgres/database.js";
import { defineTable, saveVersioned, selectVersion, type Versioned } from "./postgres/table.js";

/** Where groups come from: the claim of an identity provider or its SCIM, or a directory that is asked over HTTP. */
export type GroupProvider = ProviderGroupProvider | DirectoryGroupProvider;

interface NamedGroupProvider {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly enabled: boolean;
}

/** What an identity provider says: in the claim `groups` at each sign-in, or by SCIM at any time. */
interface ProviderGroupProvider extends NamedGroupProvider {
  readonly type: "claim" | "scim";
  readonly identityProviderId: string;
}

/** An HTTP directory, asked while something is decided. */
export interface DirectoryGroupProvider extends NamedGroupProvider {
  readonly type: "directory";
  readonly url: string;
  /** Sealed by the credential vault, bound to `groupProviderSecretRow(id)`. */
  readonly secret: Buffer;
}

/** A group provider as administrators see it. */
export interface ListedGroupProvider extends Versioned {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly type: GroupProvider["type"];
  /** Of a claim and of SCIM: the key of the identity provider. */
  readonly identityProvider: string | null;
  /** Of a directory. */
  readonly url: string | null;
  readonly enabled: boolean;
  /** Assignments to its groups. */
  readonly assignments: number;
  /** The scopes of its groups that give a role at the administration. */
  readonly roleScopes: readonly string[];
}

type GroupProviderListRequest = PageRequest<"key" | "name"> & {
  readonly type: GroupProvider["type"] | undefined;
  readonly enabled: boolean | undefined;
};

/** A group that a provider or an assignment has named. */
export interface KnownGroup {
  readonly key: string;
  readonly provider: Pick<GroupProvider, "key" | "name" | "type" | "enabled">;
  /** `null` for a group of a directory: only the directory knows. */
  readonly people: number | null;
  readonly assignments: number;
  /** Its scopes that give a role at the administration. */
  readonly roleScopes: readonly string[];
}

/** A group, by the key of its group provider and what that calls it. */
export interface GroupName {
  readonly provider: string;
  readonly key: string;
}

type GroupListRequest = PageRequest<"key"> & {
  /** Only groups of the group provider with this key. */
  readonly provider: string | undefined;
  readonly now: Date;
};

/** Either kind, with `null` for what the other one has. */
interface StoredGroupProvider {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly type: GroupProvider["type"];
  readonly identityProviderId: string | null;
  readonly url: string | null;
  readonly secret: Buffer | null;
  readonly enabled: boolean;
}

const table = defineTable<StoredGroupProvider>("group_providers", {
  id: "id",
  key: "key",
  name: "name",
  type: "type",
  identityProviderId: "identity_provider_id",
  url: "url",
  secret: "secret",
  enabled: "enabled",
});

/** There are a hundred providers at most, so what is looked for among them needs no index; their groups do. */
const pageColumns: PageColumns<"key" | "name"> = {
  id: { sql: "p.id", type: "uuid" },
  sorts: { key: { sql: "p.key", type: "text" }, name: { sql: "lower(p.name)", type: "text" } },
};

const groupColumns: PageColumns<"key"> = {
  id: { sql: "k.provider_id", type: "uuid" },
  sorts: { key: { sql: "k.key", type: "text" } },
};

const roleSql = `a.scope_key IN (${roleScopes.map((scope) => `'${scope}'`).join(", ")}) AND ${liveSql("a")}`;

const listedSql = `p.id, p.key, p.name, p.type, p.url, p.enabled, ${selectVersion("p")},
  (SELECT i.key FROM identity_providers i WHERE i.id = p.identity_provider_id) AS "identityProvider",
  (SELECT count(*)::integer FROM assignments a WHERE a.group_provider_id = p.id AND ${liveSql("a")}) AS assignments,
  ARRAY(SELECT DISTINCT a.scope_key FROM assignments a WHERE a.group_provider_id = p.id AND ${roleSql}) AS "roleScopes"`;

const groupSql = `k.key, json_build_object('key', p.key, 'name', p.name, 'type', p.type, 'enabled', p.enabled) AS provider,
  CASE WHEN p.type <> 'directory' THEN (
    SELECT count(*)::integer FROM user_groups g
    WHERE g.provider_id = p.identity_provider_id AND g.groups @> ARRAY[k.key] AND g.expires_at > :now
  ) END AS people,
  (SELECT count(*)::integer FROM assignments a
    WHERE a.group_provider_id = k.provider_id AND a.group_key = k.key AND ${liveSql("a")}) AS assignments,
  ARRAY(SELECT a.scope_key FROM assignments a WHERE a.group_provider_id = k.provider_id AND a.group_key = k.key
    AND ${roleSql} ORDER BY 1) AS "roleScopes"`;

export function createGroupProviderStore(database: Database) {
  const first = async (condition: Readonly<Record<string, string>>): Promise<GroupProvider | undefined> => {
    const [stored] = await database("group_providers")
      .select<StoredGroupProvider[]>(database.raw(table.select()))
      .where(condition);
    return stored && fromStored(stored);
  };
  const listed = () =>
    database("group_providers AS p").select<ListedGroupProvider[]>(database.raw(listedSql));

  return {
    find: (id: string): Promise<GroupProvider | undefined> => first({ id }),
    findByKey: (key: string): Promise<GroupProvider | undefined> => first({ key }),
    /** The one that takes the groups of this identity provider, enabled or not. */
    findByIdentityProvider: (identityProviderId: string): Promise<GroupProvider | undefined> =>
      first({ identity_provider_id: identityProviderId }),
    /** Keeps it from being removed before the transaction ends; `false` when it is gone. */
    async hold(id: string): Promise<boolean> {
      return (await database("group_providers").select("id").where({ id }).forKeyShare()).length > 0;
    },
    /** Inserts or replaces the row with this id. */
    async save(provider: GroupProvider, at: Date): Promise<void> {
      const none = { identityProviderId: null, url: null, secret: null };
      const row = table.toRow({ ...none, ...provider });
      await saveVersioned(database, "group_providers", { row, at });
    },
    async list({ type, enabled, ...request }: GroupProviderListRequest): Promise<Page<ListedGroupProvider>> {
      const query = listed();
      if (type !== undefined) void query.where("p.type", type);
      if (enabled !== undefined) void query.where("p.enabled", enabled);
      whereContains(query, "p.key || ' ' || p.name", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    async describe(key: string): Promise<ListedGroupProvider | undefined> {
      const [row] = await listed().where("p.key", key);
      return row;
    },
    async count(): Promise<number> {
      const [row] = await database("group_providers").count<{ count: string }[]>();
      return Number(row?.count);
    },
    async listGroups({ provider, now, ...request }: GroupListRequest): Promise<Page<KnownGroup>> {
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
    /** Those among these groups that a sign-in or an assignment has named. */
    async findKnownGroups(groups: readonly GroupName[]): Promise<readonly GroupName[]> {
      const named = "SELECT * FROM unnest(?::text[], ?::text[]) AS named (provider, key)";
      return await database("known_groups AS k")
        .join("group_providers AS p", "p.id", "k.provider_id")
        .whereRaw(`(p.key, k.key) IN (${named})`, [
          groups.map(({ provider }) => provider),
          groups.map(({ key }) => key),
        ])
        .select<GroupName[]>("p.key AS provider", "k.key");
    },
    /** The scopes that assignments give to its groups, in order. */
    async listAssignedScopes(id: string): Promise<readonly string[]> {
      const rows = await database("assignments")
        .distinct<{ scope_key: string }[]>("scope_key")
        .where({ group_provider_id: id })
        .orderBy("scope_key");
      return rows.map((row) => row.scope_key);
    },
    /** Removes it, and what the identity provider has said so far. @throws when an assignment still names one of its groups. */
    async remove(id: string): Promise<void> {
      // First, in the order of sign-ins, so that the two cannot deadlock.
      await database("group_providers").select("id").where({ id }).forUpdate();
      const claim = database("group_providers").select("identity_provider_id").where({ id });
      await database("user_groups").whereIn("provider_id", claim).delete();
      await database("group_providers").where({ id }).delete();
    },
  };
}

function fromStored(stored: StoredGroupProvider): GroupProvider {
  const { id, type, key, name, enabled, identityProviderId, url, secret } = stored;
  if (type !== "directory" && identityProviderId !== null) {
    return { type, id, key, name, enabled, identityProviderId };
  }
  if (url === null || secret === null) throw new TypeError("A directory has an address and a secret.");
  return { type: "directory", id, key, name, enabled, url, secret };
}
