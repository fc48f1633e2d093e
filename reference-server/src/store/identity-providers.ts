import { identityProviderShape } from "../objects/identity-provider.js";
import type { StoredObject } from "../objects/object.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereContains } from "./page.js";
import type { Database } from "./postgres/database.js";
import { columnsOf, defineTable, saveVersioned, selectVersion, type Versioned } from "./postgres/table.js";

type Described = StoredObject<typeof identityProviderShape>;

/** Members with a default, which a change may leave out. */
type Kept =
  | "buttonLabel"
  | "allowsAssertions"
  | "presence"
  | "presenceIntervalSeconds"
  | "graceSeconds"
  | "signInEveryDays"
  | "logoutEndsApps"
  | "provisioningAttribute"
  | "provisioningClaim";

/** An OpenID provider that people sign in at, as it is stored. What is absent stays as it is stored. */
export type IdentityProvider = Omit<Described, Kept | "clientSecret"> &
  Partial<Pick<Described, Kept>> & {
    readonly id: string;
    /** Sealed by the credential vault, bound to `providerSecretRow(id)`; `null` for a client without one. */
    readonly clientSecret: Buffer | null;
    /** Whether browsers come back to a callback that only this provider has. Decided once, when it is stored first. */
    readonly ownCallback?: boolean;
  };

export type TokenEndpointAuthMethod = NonNullable<IdentityProvider["tokenEndpointAuthMethod"]>;

/** An identity provider as administrators see it. */
export interface ListedIdentityProvider extends Required<IdentityProvider>, Versioned {
  /** How many people have signed in there. */
  readonly people: number;
  /** Key of the group provider that takes its groups claim. */
  readonly groupProvider: string | null;
}

type IdentityProviderListRequest = PageRequest<"key" | "name"> & {
  readonly enabled: boolean | undefined;
};

const table = defineTable<IdentityProvider>(
  "identity_providers",
  columnsOf("id", "ownCallback", ...identityProviderShape.keyof().options),
);

const listedSql = `${table.select("i")}, ${selectVersion("i")},
  (SELECT count(*)::integer FROM user_identities a WHERE a.provider_id = i.id) AS people,
  (SELECT p.key FROM group_providers p WHERE p.identity_provider_id = i.id) AS "groupProvider"`;

/** There are a hundred providers at most, so what is looked for needs no index. */
const pageColumns: PageColumns<"key" | "name"> = {
  id: { sql: "i.id", type: "uuid" },
  sorts: { key: { sql: "i.key", type: "text" }, name: { sql: "lower(i.name)", type: "text" } },
};

export function createIdentityProviderStore(database: Database) {
  const providers = () => database("identity_providers");
  const selected = () => providers().select<IdentityProvider[]>(database.raw(table.select()));
  const listed = () =>
    database("identity_providers AS i").select<ListedIdentityProvider[]>(database.raw(listedSql));

  return {
    async find(id: string): Promise<IdentityProvider | undefined> {
      const [provider] = await selected().where({ id });
      return provider;
    },
    async findByKey(key: string): Promise<IdentityProvider | undefined> {
      const [provider] = await selected().where({ key });
      return provider;
    },
    /** The provider of this issuer whose identity assertions are redeemed, enabled or not. */
    async findAsserting(issuer: string): Promise<IdentityProvider | undefined> {
      const [provider] = await selected().where({ issuer, allows_assertions: true });
      return provider;
    },
    /** Every enabled provider, by key. */
    async listEnabled(): Promise<readonly IdentityProvider[]> {
      return await selected().where({ enabled: true }).orderBy("key");
    },
    /** Keeps an enabled provider from being removed before the transaction ends; `false` when it is gone. */
    async hold(id: string): Promise<boolean> {
      return (await providers().select("id").where({ id, enabled: true }).forKeyShare()).length > 0;
    },
    /** Whether a provider has the callback without a key; the next one gets its own. */
    isPlainCallbackTaken: async (): Promise<boolean> =>
      (await providers().first("id").where({ own_callback: false })) !== undefined,
    /** Inserts or replaces the row with this id. */
    async save(provider: IdentityProvider, at: Date): Promise<void> {
      const { ownCallback: _decidedOnce, ...fields } = provider;
      const ownCallback = database.raw("EXISTS (SELECT FROM identity_providers WHERE NOT own_callback)");
      const row = table.toRow(fields);
      await saveVersioned(database, "identity_providers", {
        row,
        at,
        onlyNew: { own_callback: ownCallback },
      });
    },
    async list({ enabled, ...request }: IdentityProviderListRequest): Promise<Page<ListedIdentityProvider>> {
      const query = listed();
      if (enabled !== undefined) void query.where("i.enabled", enabled);
      whereContains(query, "i.key || ' ' || i.name || ' ' || i.issuer", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    async describe(key: string): Promise<ListedIdentityProvider | undefined> {
      const [row] = await listed().where("i.key", key);
      return row;
    },
    async count(): Promise<number> {
      const [row] = await database("identity_providers").count<{ count: string }[]>();
      return Number(row?.count);
    },
    /** Forgets the accounts, sessions, groups and confirmations that came from it; people are recognised by their address at the next sign-in. */
    async forgetAccounts(id: string): Promise<void> {
      await database("user_identities").where({ provider_id: id }).delete();
      await database("user_groups").where({ provider_id: id }).delete();
      await database("presences").where({ provider_id: id }).delete();
      await database("browser_sessions").where({ provider_id: id }).delete();
      await database("sign_in_attempts").where({ provider_id: id }).delete();
      await database("provisioned_groups").where({ provider_id: id }).delete();
      await database("provisioned_users").where({ provider_id: id }).delete();
    },
    /** Removes it with the accounts, sessions and groups that came from it. */
    async remove(id: string): Promise<void> {
      await database("identity_providers").where({ id }).delete();
    },
  };
}
