import type { GroupProvider } from "./group-providers.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import { type Database, prepared } from "./postgres/database.js";

/** One rule: whoever it names has this scope. */
export type Assignment = EmailAssignment | GroupAssignment;

/** This email address has this scope. */
interface EmailAssignment {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly scope: string;
}

/** Everybody in this group has this scope. */
export interface GroupAssignment {
  readonly id: string;
  readonly group: AssignedGroup;
  readonly scope: string;
}

/** A group as its provider calls it. */
interface AssignedGroup {
  readonly provider: Pick<GroupProvider, "id" | "key" | "name" | "type">;
  /** Compared exactly. */
  readonly key: string;
}

/** Somebody whom a rule names by address. */
export interface AssignedPerson {
  readonly email: string;
  /** `null` until the person has signed in, and when the provider gave no name. */
  readonly name: string | null;
}

/** A rule as it is written: of a group's provider only the id counts. */
export type NewAssignment =
  | EmailAssignment
  | (Omit<GroupAssignment, "group"> & {
      readonly group: { readonly providerId: string; readonly key: string };
    });

/** The rules that can apply to a person, as far as the database alone can say. */
export interface PersonRules {
  /** Those of the address, and of the groups that enabled providers claimed at the last sign-in. */
  readonly rules: readonly Assignment[];
  /** The ids of the enabled directories whose groups have any rules: each has to be asked still. */
  readonly directories: readonly string[];
}

/** Some groups of one provider. */
interface GroupsOfProvider {
  readonly providerId: string;
  readonly keys: readonly string[];
}

/** An assignment as administrators see it: to an address, or to a group. */
export interface ListedAssignment {
  readonly id: string;
  readonly email: string | null;
  /** Who has the address now. */
  readonly person: { readonly id: string; readonly name: string | null; readonly enabled: boolean } | null;
  readonly group: { readonly provider: string; readonly providerName: string; readonly key: string } | null;
  readonly scope: string;
  readonly createdAt: Date;
}

/** Somebody who has signed in with an address. */
interface AddressHolder {
  readonly email: string;
  readonly enabled: boolean;
}

type AssignmentListRequest = PageRequest<"assignee" | "scope" | "createdAt"> & {
  readonly email: string | undefined;
  readonly scope: string | undefined;
  /** The key of a group provider, and of one of its groups. */
  readonly group: { readonly provider: string; readonly key: string | undefined } | undefined;
};

const groupAssignment = `json_build_object('id', a.id, 'scope', a.scope_key, 'group', json_build_object(
  'key', a.group_key, 'provider', json_build_object('id', p.id, 'key', p.key, 'name', p.name, 'type', p.type)))`;

const forPersonSql = `SELECT ${rulesForSql("$1::uuid", "$2::text")} AS found`;

const ofGroupsSql = `
  SELECT ${groupAssignment} AS rule
  FROM unnest($1::uuid[], $2::text[]) AS wanted (provider_id, key)
    JOIN group_providers p ON p.id = wanted.provider_id AND p.enabled
    JOIN assignments a ON a.group_provider_id = p.id AND a.group_key = wanted.key`;

const sampleSql = `
  SELECT ${groupAssignment} AS rule
  FROM group_providers p CROSS JOIN scopes s CROSS JOIN LATERAL (
    SELECT id, scope_key, group_key FROM assignments
    WHERE group_provider_id = p.id AND scope_key = s.key ORDER BY group_key LIMIT $2
  ) AS a
  WHERE p.id = ANY ($1::uuid[]) AND p.enabled
  ORDER BY a.scope_key, p.key, a.group_key`;

const pageColumns: PageColumns<"assignee" | "scope" | "createdAt"> = {
  id: { sql: "a.id", type: "uuid" },
  sorts: {
    assignee: { sql: "coalesce(a.email, a.group_key)", type: "text" },
    scope: { sql: "a.scope_key", type: "text" },
    createdAt: { sql: "a.created_at", type: "timestamptz" },
  },
};

/** Who has the address, and whose group it is, are looked up for the rows of the page only. */
const listedSql = `a.id, a.email, a.scope_key AS scope, a.created_at AS "createdAt",
  (SELECT json_build_object('id', u.id, 'name', u.name, 'enabled', u.enabled)
    FROM users u WHERE u.email = a.email) AS person,
  (SELECT json_build_object('provider', p.key, 'providerName', p.name, 'key', a.group_key)
    FROM group_providers p WHERE p.id = a.group_provider_id) AS "group"`;

/**
 * The `PersonRules` as JSON, as an expression for any statement. The person's id and address are SQL expressions, and so is the condition
 * on the rules `a` that decide.
 *
 * However many rules a directory's groups have, one look into the index finds out that there are any: by its order.
 */
export function rulesForSql(userId: string, email: string, deciding = "true"): string {
  return `json_build_object('rules', (
    SELECT coalesce(json_agg(rule), '[]') FROM (
      SELECT json_build_object('id', a.id, 'email', a.email, 'scope', a.scope_key) AS rule
      FROM assignments a WHERE a.email = ${email} AND (${deciding})
      UNION ALL
      SELECT ${groupAssignment}
      FROM user_groups ug JOIN identity_providers i ON i.id = ug.provider_id AND i.enabled
        JOIN group_providers p ON p.identity_provider_id = i.id AND p.enabled
        JOIN assignments a ON a.group_provider_id = p.id AND a.group_key = ANY (ug.groups)
      WHERE ug.user_id = ${userId} AND ug.expires_at > now() AND (${deciding})
    ) AS rules
  ), 'directories', (
    SELECT coalesce(json_agg(p.id), '[]') FROM group_providers p
    WHERE p.type = 'directory' AND p.enabled
      AND (SELECT true FROM assignments a WHERE a.group_provider_id = p.id ORDER BY a.group_key LIMIT 1)
  ))`;
}

export function createAssignmentStore(database: Database) {
  const ofGroups = () =>
    database("assignments AS a")
      .join("group_providers AS p", "p.id", "a.group_provider_id")
      .select<{ rule: GroupAssignment }[]>(database.raw(`${groupAssignment} AS rule`));
  const listed = () => database("assignments AS a").select(database.raw(listedSql));

  async function insertAllMissing(
    assignments: readonly NewAssignment[],
    at: Date,
  ): Promise<readonly string[]> {
    if (assignments.length === 0) return [];
    const rows = assignments.map((assignment) => ({
      id: assignment.id,
      scope_key: assignment.scope,
      created_at: at,
      email: "email" in assignment ? assignment.email : null,
      group_provider_id: "email" in assignment ? null : assignment.group.providerId,
      group_key: "email" in assignment ? null : assignment.group.key,
    }));
    const created = await database("assignments")
      .insert(rows)
      .onConflict()
      .ignore()
      .returning<{ id: string }[]>("id");
    return created.map(({ id }) => id);
  }

  return {
    listByEmail: (email: string): Promise<readonly EmailAssignment[]> =>
      prepared(database, {
        name: "assignments_by_email",
        text: "SELECT id, email, scope_key AS scope FROM assignments WHERE email = $1 ORDER BY scope_key",
        values: [email],
      }),
    async listByGroup({
      providerId,
      key,
    }: {
      providerId: string;
      key: string;
    }): Promise<readonly GroupAssignment[]> {
      const rows = await ofGroups()
        .where({ "a.group_provider_id": providerId, "a.group_key": key })
        .orderBy("a.scope_key");
      return rows.map(({ rule }) => rule);
    },
    /** The groups of enabled providers that have a scope. */
    async listGroupsByScope(scope: string, limit: number): Promise<readonly GroupAssignment[]> {
      const rows = await ofGroups()
        .where({ "a.scope_key": scope, "p.enabled": true })
        .orderBy(["p.key", "a.group_key"])
        .limit(limit);
      return rows.map(({ rule }) => rule);
    },
    /** The people whose address has a scope, without the disabled ones; who has signed in before comes first. */
    async listPeopleByScope(scope: string, limit: number): Promise<readonly AssignedPerson[]> {
      return await database("assignments AS a")
        .leftJoin("users AS u", "u.email", "a.email")
        .where("a.scope_key", scope)
        .whereNotNull("a.email")
        .whereRaw("u.enabled IS NOT FALSE")
        .orderByRaw("u.id IS NULL, a.email")
        .limit(limit)
        .select<AssignedPerson[]>("a.email", "u.name");
    },
    async listFor({ userId, email }: { userId: string; email: string | null }): Promise<PersonRules> {
      const statement = { name: "assignments_for", text: forPersonSql, values: [userId, email] };
      const [row] = await prepared<{ found: PersonRules }>(database, statement);
      return row?.found ?? { rules: [], directories: [] };
    },
    /** The rules of these groups, as far as their providers are enabled. */
    async listOfGroups(groups: readonly GroupsOfProvider[]): Promise<readonly GroupAssignment[]> {
      const providerIds = groups.flatMap(({ providerId, keys }) => keys.map(() => providerId));
      const values = [providerIds, groups.flatMap(({ keys }) => keys)];
      const statement = { name: "assignments_of_groups", text: ofGroupsSql, values };
      const rows = await prepared<{ rule: GroupAssignment }>(database, statement);
      return rows.map(({ rule }) => rule);
    },
    /** For each scope that groups of these providers have, the first few of them. */
    async sampleByScope(
      providerIds: readonly string[],
      groupsPerScope: number,
    ): Promise<readonly GroupAssignment[]> {
      const values = [providerIds, groupsPerScope];
      const statement = { name: "assignments_sample", text: sampleSql, values };
      const rows = await prepared<{ rule: GroupAssignment }>(database, statement);
      return rows.map(({ rule }) => rule);
    },
    /** Returns whether the row was new. */
    async insertMissing(assignment: NewAssignment, at: Date): Promise<boolean> {
      return (await insertAllMissing([assignment], at)).length > 0;
    },
    /** Inserts up to a thousand rows at once and returns the ids of those that were new. */
    insertAllMissing,
    async removeAll(ids: readonly string[]): Promise<void> {
      await database("assignments")
        .whereIn("id", [...ids])
        .delete();
    },
    async remove(id: string): Promise<void> {
      await database("assignments").where({ id }).delete();
    },
    async list({ email, scope, group, ...request }: AssignmentListRequest): Promise<Page<ListedAssignment>> {
      const query = listed();
      if (email !== undefined) void query.where("a.email", email);
      if (scope !== undefined) void query.where("a.scope_key", scope);
      if (group !== undefined) {
        const provider = database("group_providers").select("id").where("key", group.provider);
        void query.where("a.group_provider_id", "=", provider);
        if (group.key !== undefined) void query.where("a.group_key", group.key);
      }
      whereWords(query, "a.words", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    /** Those of these assignments that exist, by assignee and scope. */
    async findAll(ids: readonly string[]): Promise<readonly ListedAssignment[]> {
      return await database("assignments AS a")
        .select<ListedAssignment[]>(database.raw(listedSql))
        .whereIn("a.id", [...ids])
        .orderByRaw("coalesce(a.email, a.group_key), a.scope_key");
    },
    /** Who has these addresses now, by address. */
    async findPeople(emails: readonly string[]): Promise<readonly AddressHolder[]> {
      return await database("users")
        .select<AddressHolder[]>("email", "enabled")
        .whereIn("email", [...emails])
        .orderBy("email");
    },
  };
}
