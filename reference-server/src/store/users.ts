import { randomUUID } from "node:crypto";
import { liveSql } from "./live-assignment.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import { type Database, prepared, queryRows } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";
import { moveProvisioned } from "./provisioned-users.js";
import { isGrantLiveSql } from "./stop-conditions.js";

/** A person who has signed in at least once. `id` is the `sub` of every token. */
export interface User {
  readonly id: string;
  /** Lower case; `null` once a provider has given the address to another person. */
  readonly email: string | null;
  readonly name: string | null;
  readonly enabled: boolean;
  /** Nothing is issued since then, until the next sign-in; `null`: not paused. */
  readonly pausedAt: Date | null;
}

/** Who disabled a person; a provider by its key. */
export type DisabledBy =
  | { readonly by: "administrator" | "support" }
  | { readonly by: "provider"; readonly provider: string };

/** What decides about everything of a person. */
interface PersonStanding extends Pick<User, "enabled" | "pausedAt"> {
  readonly disabledBy: DisabledBy["by"] | null;
}

/** An account at an identity provider. */
interface ProviderAccount {
  readonly providerId: string;
  readonly subject: string;
}

/** A person according to a provider's assertion. */
interface Asserted extends ProviderAccount {
  /** `null`: it does not vouch for any. */
  readonly email: string | null;
}

/** The person who has signed in. */
export interface SignedInUser extends User {
  /** The account became that of a person who was known. */
  readonly linked: boolean;
  /** They were paused. */
  readonly resumed: boolean;
}

interface AssertedUser {
  readonly user: User;
  /** Whether the account is known; else they were found by their address. */
  readonly isLinked: boolean;
}

/** A person who just signed in, according to the provider. The email address is verified. */
export interface SignIn extends ProviderAccount {
  readonly email: string;
  readonly name?: string;
  /** The claim `oid` of Entra ID. */
  readonly oid?: string | undefined;
  /** The attribute of SCIM that names the account, and its value. */
  readonly provisioned?: ProvisionedAs | undefined;
  readonly at: Date;
}

/** How a provider's SCIM names the account of a sign-in. */
export interface ProvisionedAs {
  readonly attribute: "externalId" | "userName";
  readonly value: string;
}

/** A person as administrators see them. */
export interface ListedUser extends User {
  /** `null` while enabled. */
  readonly disabledBy: DisabledBy["by"] | null;
  readonly lastSignedInAt: Date | null;
  readonly createdAt: Date;
  /** Live browser sessions. */
  readonly sessions: number;
  /** Live grants. */
  readonly grants: number;
  readonly version: number;
}

/** An account at a provider that a person signs in with. */
interface UserIdentity {
  readonly provider: { readonly key: string; readonly name: string; readonly enabled: boolean };
  readonly subject: string;
  readonly createdAt: Date;
}

/** A person's groups according to an identity provider, and the group provider that uses them. */
interface ClaimedUserGroups {
  readonly provider: { readonly key: string; readonly name: string; readonly enabled: boolean };
  readonly keys: readonly string[];
  readonly signedInAt: Date;
  /** `null`: they count until SCIM says otherwise. */
  readonly expiresAt: Date | null;
}

type UserListRequest = PageRequest<"email" | "name" | "lastSignedInAt" | "createdAt"> & {
  readonly enabled: boolean | undefined;
  /** Only those who have it by an assignment to them, or to a group that a sign-in named. */
  readonly scope?: string | undefined;
  /** Only members according to a sign-in; without a key, of any group of the provider. */
  readonly group?: { readonly provider: string; readonly key: string | undefined } | undefined;
  readonly now: Date;
};

export const userTable = defineTable<User>(
  "users",
  { id: "id", email: "email", name: "name", enabled: "enabled", pausedAt: "paused_at" },
  { dates: ["pausedAt"] },
);

const pageColumns: PageColumns<"email" | "name" | "lastSignedInAt" | "createdAt"> = {
  id: { sql: "u.id", type: "uuid" },
  sorts: {
    email: { sql: "coalesce(u.email, '')", type: "text" },
    name: { sql: "lower(coalesce(u.name, ''))", type: "text" },
    lastSignedInAt: { sql: "coalesce(u.last_signed_in_at, '-infinity')", type: "timestamptz" },
    createdAt: { sql: "u.created_at", type: "timestamptz" },
  },
};

const listedSql = `${userTable.select("u")}, u.version,
  CASE WHEN NOT u.enabled THEN coalesce(u.disabled_by, 'administrator') END AS "disabledBy", u.last_signed_in_at AS "lastSignedInAt",
  u.created_at AS "createdAt",
  (SELECT count(*)::integer FROM browser_sessions s JOIN identity_providers i ON i.id = s.provider_id AND i.enabled
    WHERE s.user_id = u.id AND s.expires_at > :now) AS sessions,
  (SELECT count(*)::integer FROM grants g
    WHERE g.user_id = u.id AND ${isGrantLiveSql("g", ":now")}) AS "grants"`;

const withScopeSql = `u.id IN (
  SELECT o.id FROM assignments a JOIN users o ON o.email = a.email WHERE a.scope_key = :scope AND ${liveSql("a")}
  UNION ALL
  SELECT g.user_id FROM assignments a
    JOIN group_providers p ON p.id = a.group_provider_id AND p.enabled
    JOIN identity_providers i ON i.id = p.identity_provider_id AND i.enabled
    JOIN user_groups g ON g.provider_id = i.id AND g.groups @> ARRAY[a.group_key] AND g.expires_at > :now
  WHERE a.scope_key = :scope AND ${liveSql("a")})`;

const inGroupSql = `u.id IN (
  SELECT g.user_id FROM user_groups g JOIN group_providers p ON p.identity_provider_id = g.provider_id
  WHERE p.key = :provider AND g.groups @> :groups::text[] AND g.groups <> '{}' AND g.expires_at > :now)`;

/** The provider does not say by SCIM that the person has left. */
const isActiveSql =
  "NOT EXISTS (SELECT FROM provisioned_users s WHERE s.user_id = u.id AND s.provider_id = $1 AND NOT s.active)";

const assertedSql = `
  (SELECT ${userTable.select("u")}, true AS "isLinked" FROM user_identities a JOIN users u ON u.id = a.user_id
    WHERE a.provider_id = $1 AND a.subject = $2 AND ${isActiveSql})
  UNION ALL
  (SELECT ${userTable.select("u")}, false AS "isLinked" FROM users u WHERE u.email = $3
    AND NOT EXISTS (SELECT FROM user_identities o WHERE o.user_id = u.id AND o.provider_id = $1) AND ${isActiveSql})
  ORDER BY "isLinked" DESC LIMIT 1`;

const accountSql = `
  SELECT ${userTable.select("u")} FROM user_identities a JOIN users u ON u.id = a.user_id
  WHERE a.provider_id = $1 AND (a.subject = $2 OR u.email = $3) LIMIT 1`;

interface ProviderRow {
  readonly key: string;
  readonly name: string;
  readonly enabled: boolean;
}

export function createUserStore(database: Database) {
  const users = () => database("users");
  const findOne = async (condition: Partial<User>): Promise<User | undefined> =>
    (await selectUsers(database).where(condition))[0];
  const listed = (now: Date) => database("users AS u").select<ListedUser[]>(database.raw(listedSql, { now }));

  return {
    find: (id: string): Promise<User | undefined> => findOne({ id }),
    /** Remembers the language for mails. */
    async speak(id: string, language: string): Promise<void> {
      await users().where({ id }).whereRaw("language IS DISTINCT FROM ?", [language]).update({ language });
    },
    /** The languages of those who have these addresses, as far as they are known. */
    async findLanguages(emails: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const rows = await users()
        .whereIn(
          "email",
          emails.map((email) => email.toLowerCase()),
        )
        .whereNotNull("language")
        .select<{ email: string; language: string }[]>("email", "language");
      return new Map(rows.map(({ email, language }) => [email, language]));
    },
    /** Who has this address now; lower case. */
    findByEmail: (email: string): Promise<User | undefined> => findOne({ email }),
    /**
     * Who has this account, else who has this address, lower case, and no account at this provider yet: another account with the same
     * address is somebody else. People whom the provider deactivated by SCIM are not found. One statement, so that an account that is linked meanwhile is seen as either.
     */
    async findAsserted({ providerId, subject, email }: Asserted): Promise<AssertedUser | undefined> {
      const statement = { name: "user_asserted", text: assertedSql, values: [providerId, subject, email] };
      const [row] = await prepared<User & { readonly isLinked: boolean }>(database, statement);
      return row && { user: userTable.fromRow(row), isLinked: row.isLinked };
    },
    /** Who has this account at a provider, or an account there and this address, lower case. */
    async findAccount({
      providerId,
      subject,
      email,
    }: {
      readonly providerId: string;
      readonly subject: string | null;
      readonly email: string | null;
    }): Promise<User | undefined> {
      const statement = { name: "user_account", text: accountSql, values: [providerId, subject, email] };
      const [row] = await prepared<User>(database, statement);
      return row && userTable.fromRow(row);
    },
    /**
     * Finds or creates the user behind a sign-in, and stores the provider's data.
     *
     * Permissions hang on the email address, so it belongs to one user at a time: somebody new at the same
     * provider takes it over, the same address at another provider is the same person. An address held by a
     * disabled user yields that disabled user. Call it inside a transaction, and refuse a disabled user.
     */
    async signIn(signIn: SignIn): Promise<SignedInUser> {
      const email = signIn.email.toLowerCase();
      const named = await findNamed(database, signIn);
      const finish = async (user: User, linked: boolean): Promise<SignedInUser> => ({
        ...(await finishSignIn(database, { user, named, signIn })),
        linked,
      });
      const seen = await findByIdentity(database, signIn);
      if (seen?.email === email) return await finish(seen, false);

      await lockAddresses(database);
      const found = await findByIdentity(database, signIn);
      const provisioned = found === undefined ? await takeNamed(database, named, signIn) : undefined;
      const known = found ?? provisioned;
      const holder = await findOne({ email });
      if (holder !== undefined && holder.id !== known?.id) {
        if (!holder.enabled) return { ...holder, linked: false, resumed: false };
        const link = known === undefined && !(await hasIdentityAt(database, holder.id, signIn.providerId));
        if (link) return await finish(await linkIdentity(database, holder, signIn), true);
        await releaseAddress(database, holder.id, signIn.at);
      }
      return await finish(known ?? (await create(database, signIn)), provisioned !== undefined);
    },
    /** Lets other new people and changed addresses wait until the transaction ends. */
    lockAddresses: () => lockAddresses(database),
    /** Creates a person who has not signed in yet. Call it after `lockAddresses`. */
    async create({
      id,
      email,
      name,
      at,
    }: Pick<User, "id" | "email" | "name"> & { readonly at: Date }): Promise<void> {
      await users().insert({ id, email, name, created_at: at, updated_at: at });
    },
    /** Changes what somebody is called, or their address, lower case; what is absent stays. Call it after `lockAddresses`. */
    async describeAs(
      id: string,
      { at, ...described }: Partial<Pick<User, "email" | "name">> & { readonly at: Date },
    ): Promise<void> {
      const isDifferent = Object.keys(described).map((column) => `${column} IS DISTINCT FROM :${column}`);
      if (isDifferent.length === 0) return;
      await users()
        .where({ id })
        .whereRaw(`(${isDifferent.join(" OR ")})`, described as Record<string, string>)
        .update({ ...described, ...touched(database, at) });
    },
    /** Whether a person has signed in at a provider. */
    hasAccount: (userId: string, providerId: string): Promise<boolean> =>
      hasIdentityAt(database, userId, providerId),
    /** Whether a person is disabled because the provider with this key ended them. */
    async isDisabledByProvider(id: string, provider: string): Promise<boolean> {
      const ended = { id, enabled: false, disabled_by: "provider", disabled_by_provider: provider };
      return (await users().first("id").where(ended)) !== undefined;
    },
    /** Ends a pause, too. `by`: who has to enable them again. Returns whether it is a change. */
    async setEnabled(
      id: string,
      enabled: boolean,
      at: Date,
      disabledBy: DisabledBy = { by: "administrator" },
    ): Promise<boolean> {
      const provider = "provider" in disabledBy ? disabledBy.provider : null;
      const change = {
        enabled,
        disabled_by: enabled ? null : disabledBy.by,
        disabled_by_provider: enabled ? null : provider,
        paused_at: null,
        pause_reason: null,
      };
      return (
        (await users()
          .where({ id, enabled: !enabled })
          .update({ ...change, ...touched(database, at) })) > 0
      );
    },
    /** From now on only an administrator enables a person who is disabled. */
    async takeOverDisabled(id: string, at: Date): Promise<void> {
      await users()
        .where({ id, enabled: false })
        .update({ disabled_by: "administrator", disabled_by_provider: null, ...touched(database, at) });
    },
    /** Returns whether the person was enabled and not paused. */
    async pause(id: string, reason: string, at: Date): Promise<boolean> {
      return (
        (await users()
          .where({ id, enabled: true, paused_at: null })
          .update({ paused_at: at, pause_reason: reason, ...touched(database, at) })) > 0
      );
    },
    /** Ends a pause that has this reason. Returns whether there was one. */
    async resume(id: string, reason: string, at: Date): Promise<boolean> {
      return (
        (await users()
          .where({ id, pause_reason: reason })
          .update({ paused_at: null, pause_reason: null, ...touched(database, at) })) > 0
      );
    },
    /**
     * Stores what the provider says of a known person, as a sign-in would, and returns what is different. Call it inside a transaction.
     * `undefined`: the account is not theirs, or a disabled person has the address.
     */
    async confirm(account: SignIn, userId: string): Promise<readonly ("email" | "name")[] | undefined> {
      const email = account.email.toLowerCase();
      const known = await findByIdentity(database, account);
      if (known?.id !== userId) return undefined;
      const name = account.name ?? known.name;
      const changed = [
        ...(email === known.email ? [] : (["email"] as const)),
        ...(name === known.name ? [] : (["name"] as const)),
      ];
      if (changed.length === 0) return changed;
      if (changed.includes("email")) {
        await lockAddresses(database);
        const holder = await findOne({ email });
        if (holder?.enabled === false) return undefined;
        if (holder !== undefined) await releaseAddress(database, holder.id, account.at);
      }
      await users()
        .where({ id: userId })
        .update({ email, name, ...touched(database, account.at) });
      return changed;
    },
    async list({ enabled, scope, group, now, ...request }: UserListRequest): Promise<Page<ListedUser>> {
      const query = listed(now);
      if (enabled !== undefined) void query.where("u.enabled", enabled);
      if (scope !== undefined) void query.whereRaw(withScopeSql, { scope, now });
      if (group !== undefined) {
        const groups = group.key === undefined ? [] : [group.key];
        void query.whereRaw(inGroupSql, { provider: group.provider, groups, now });
      }
      whereWords(query, "u.words", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    async describe(id: string, now: Date): Promise<ListedUser | undefined> {
      const [row] = await listed(now).where("u.id", id);
      return row;
    },
    /**
     * Makes sign-ins of this person wait until the transaction ends, and nothing that only refers to them: a grant that begins holds
     * what the transaction may want to end. Returns whether the user exists.
     */
    async lock(id: string): Promise<boolean> {
      const row: unknown = await database("users").first("id").where({ id }).forNoKeyUpdate();
      return row !== undefined;
    },
    /** Whether anything may be issued for the person, and who disabled them. */
    async findStanding(id: string): Promise<PersonStanding | undefined> {
      const [row] = await users().where({ id }).select<PersonStanding[]>({
        enabled: "enabled",
        pausedAt: "paused_at",
        disabledBy: "disabled_by",
      });
      return row;
    },
    async listIdentities(userId: string): Promise<readonly UserIdentity[]> {
      const rows = await database("user_identities AS a")
        .join("identity_providers AS i", "i.id", "a.provider_id")
        .where("a.user_id", userId)
        .orderBy("i.key")
        .select<(ProviderRow & Omit<UserIdentity, "provider">)[]>(
          "i.key",
          "i.name",
          "i.enabled",
          "a.subject",
          {
            createdAt: "a.created_at",
          },
        );
      return rows.map(({ key, name, enabled, ...rest }) => ({ provider: { key, name, enabled }, ...rest }));
    },
    /** The groups of a group provider that a sign-in named, also when the claim has expired; `undefined`: it did not name all. */
    async listGroupsOf(userId: string, groupProviderId: string): Promise<readonly string[] | undefined> {
      const [row] = await queryRows<{ groups: string[]; unavailable: boolean }>(
        database,
        `SELECT g.groups, g.unavailable FROM user_groups g JOIN group_providers p ON p.identity_provider_id = g.provider_id
        WHERE g.user_id = ? AND p.id = ?`,
        [userId, groupProviderId],
      );
      return row?.unavailable === true ? undefined : (row?.groups ?? []);
    },
    async listClaimedGroups(userId: string, now: Date): Promise<readonly ClaimedUserGroups[]> {
      const rows = await database("user_groups AS g")
        .join("group_providers AS p", "p.identity_provider_id", "g.provider_id")
        .where("g.user_id", userId)
        .where("g.expires_at", ">", now)
        .orderBy("p.key")
        .select<(ProviderRow & Omit<ClaimedUserGroups, "provider">)[]>(
          "p.key",
          "p.name",
          "p.enabled",
          { keys: "g.groups", signedInAt: "g.signed_in_at" },
          database.raw(`nullif(g.expires_at, 'infinity') AS "expiresAt"`),
        );
      return rows.map(({ key, name, enabled, ...rest }) => ({ provider: { key, name, enabled }, ...rest }));
    },
    /** How many enabled people can sign in at this provider and at no other enabled one. */
    async countDependent(providerId: string): Promise<number> {
      const rows = await queryRows<{ count: number }>(
        database,
        `SELECT count(*)::integer AS count
        FROM user_identities a JOIN users u ON u.id = a.user_id AND u.enabled AND u.email IS NOT NULL
        WHERE a.provider_id = :providerId AND NOT EXISTS (
          SELECT FROM user_identities o JOIN identity_providers i ON i.id = o.provider_id AND i.enabled
          WHERE o.user_id = a.user_id AND o.provider_id <> :providerId)`,
        { providerId },
      );
      return rows[0]?.count ?? 0;
    },
  };
}

/**
 * New people and changed addresses are handled one after the other: with a lock per address, two people who
 * swap theirs could wait for each other. The usual sign-in takes no lock.
 */
async function lockAddresses(database: Database): Promise<void> {
  await database.raw("SELECT pg_advisory_xact_lock(hashtextextended('users.email', 0))");
}

/** Somebody new at the same provider takes the address over. */
async function releaseAddress(database: Database, id: string, at: Date): Promise<void> {
  await database("users")
    .where({ id })
    .update({ email: null, ...touched(database, at) });
}

function selectUsers(database: Database) {
  return database("users").select<User[]>(database.raw(userTable.select()));
}

async function findByIdentity(
  database: Database,
  { providerId, subject }: ProviderAccount,
): Promise<User | undefined> {
  const [user] = await selectUsers(database)
    .join("user_identities", "user_identities.user_id", "users.id")
    .where({ "user_identities.provider_id": providerId, "user_identities.subject": subject });
  return user;
}

async function hasIdentityAt(database: Database, userId: string, providerId: string): Promise<boolean> {
  const row: unknown = await database("user_identities")
    .first("subject")
    .where({ user_id: userId, provider_id: providerId });
  return row !== undefined;
}

/** A person whom the provider has named by SCIM as the account of a sign-in. */
interface Named {
  readonly id: string;
  readonly userId: string;
}

async function findNamed(
  database: Database,
  { providerId, provisioned }: SignIn,
): Promise<Named | undefined> {
  if (provisioned === undefined) return undefined;
  const { attribute, value } = provisioned;
  const sql = attribute === "externalId" ? "external_id = ?" : "lower(user_name) = lower(?)";
  const [named] = await database("provisioned_users")
    .where({ provider_id: providerId })
    .whereRaw(sql, [value])
    .select<Named[]>("id", "user_id AS userId");
  return named;
}

/**
 * Gives a new account to the person whom the provider has named so. A person who has signed in before, elsewhere, is taken only with the
 * same address: by SCIM they may have been found by an address that this account does not have.
 */
async function takeNamed(
  database: Database,
  named: Named | undefined,
  signIn: SignIn,
): Promise<User | undefined> {
  if (named === undefined || (await hasIdentityAt(database, named.userId, signIn.providerId)))
    return undefined;
  const [user] = await selectUsers(database)
    .where({ id: named.userId })
    .whereRaw("(last_signed_in_at IS NULL OR email = ?)", [signIn.email.toLowerCase()]);
  return user && (await linkIdentity(database, user, signIn));
}

/** Stores what a sign-in says of a person. Somebody whom the provider deactivated comes back as disabled, whoever enabled them here. */
async function finishSignIn(
  database: Database,
  {
    user,
    named,
    signIn,
  }: { readonly user: User; readonly named: Named | undefined; readonly signIn: SignIn },
): Promise<Omit<SignedInUser, "linked">> {
  const { providerId, subject, oid } = signIn;
  const ofProvider = () => database("provisioned_users").where({ provider_id: providerId });
  if (named !== undefined && named.userId !== user.id) {
    // The attribute names this account, so what the provider does to it has to meet the person who has it.
    await moveProvisioned(database, { ...named, providerId }, { to: user.id, at: signIn.at });
  }
  const inactive: unknown = await ofProvider()
    .first("id")
    .where({ active: false })
    .whereRaw("(user_id = :userId OR id = :named)", { userId: user.id, named: named?.id ?? null } as Record<
      string,
      string
    >);
  if (inactive !== undefined) return { ...user, enabled: false, resumed: false };
  if (oid !== undefined) {
    await database("user_identities")
      .where({ provider_id: providerId, subject })
      .whereRaw("oid IS DISTINCT FROM ?", [oid])
      .update({ oid });
  }
  return await update(database, user, signIn);
}

async function create(database: Database, signIn: SignIn): Promise<User> {
  const id = randomUUID();
  await database("users").insert({ id, created_at: signIn.at, updated_at: signIn.at });
  return await linkIdentity(database, { id, email: null, name: null, enabled: true, pausedAt: null }, signIn);
}

async function linkIdentity(database: Database, user: User, signIn: SignIn): Promise<User> {
  const { providerId, subject, oid, at } = signIn;
  await database("user_identities").insert({
    provider_id: providerId,
    subject,
    user_id: user.id,
    oid: oid ?? null,
    created_at: at,
  });
  return user;
}

/** Stores the provider's data, and ends a pause. */
async function update(
  database: Database,
  user: User,
  signIn: SignIn,
): Promise<User & { readonly resumed: boolean }> {
  const [row] = await database("users")
    .where({ id: user.id })
    .update({
      email: signIn.email.toLowerCase(),
      name: signIn.name ?? user.name,
      last_signed_in_at: signIn.at,
      paused_at: null,
      pause_reason: null,
      ...touched(database, signIn.at),
    })
    .returning<User[]>(database.raw(userTable.select()));
  if (row === undefined) throw new Error("The user disappeared during the sign-in.");
  return { ...row, resumed: user.pausedAt !== null };
}

function touched(database: Database, at: Date) {
  return { updated_at: at, version: database.raw("version + 1") };
}
