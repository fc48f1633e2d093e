import type { GroupProvider } from "./group-providers.js";
import { liveSql } from "./live-assignment.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import { type Database, prepared, queryRows } from "./postgres/database.js";

/** One rule: its assignee has this scope. */
export type Assignment = EmailAssignment | GroupAssignment;

/** This email address has this scope. */
interface EmailAssignment {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly scope: string;
  /** Until when it counts, in epoch seconds; absent or `null`: for good. */
  readonly expiresAt?: number | null;
}

/** The members of this group have this scope. */
export interface GroupAssignment {
  readonly id: string;
  readonly group: AssignedGroup;
  readonly scope: string;
  /** Until when it counts, in epoch seconds; absent or `null`: for good. */
  readonly expiresAt?: number | null;
}

/** A group as its provider calls it. */
interface AssignedGroup {
  readonly provider: Pick<GroupProvider, "id" | "key" | "name" | "type">;
  /** Compared exactly. */
  readonly key: string;
}

/** A person whom a rule names by address. */
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

/** An assignment that was removed to make room, or because its time is over. */
export interface EndedAssignment {
  readonly email: string | null;
  readonly group: { readonly provider: string; readonly key: string } | null;
  readonly scope: string;
  /** Whether its time was over. */
  readonly over: boolean;
}

/** An assignment whose end was announced. */
export interface EndingAssignment extends Omit<EndedAssignment, "over"> {
  readonly expiresAt: Date;
}

/** The rules that can apply to a person, as far as the database alone can say. */
export interface PersonRules {
  /** Those of the address, and of the groups that enabled providers claimed at the last sign-in. */
  readonly rules: readonly Assignment[];
  /** The ids of the enabled directories whose groups have any rules: each has to be asked still. */
  readonly directories: readonly string[];
  /** The ids of the group providers whose groups of the person are too many for a claim: what they give is undecided. */
  readonly unavailable: readonly string[];
  /** When an issuance asks the provider whether the person is still there, in epoch seconds; `null`: none does. */
  readonly presenceDueAt: number | null;
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
  /** `null`: for good. */
  readonly expiresAt: Date | null;
}

/** Which assignments to remove when they are over: all of them, or those of a scope or a group provider. */
interface OverSelection {
  readonly limit: number;
  readonly scope?: string;
  readonly providerId?: string;
}

/** A person who has signed in with an address. */
interface AddressHolder {
  readonly email: string;
  readonly enabled: boolean;
}

type AssignmentListRequest = PageRequest<"assignee" | "scope" | "createdAt"> & {
  readonly email: string | undefined;
  readonly scope: string | undefined;
  /** Only of these scopes; of all when absent. */
  readonly scopes?: readonly string[] | undefined;
  /** The key of a group provider, and of one of its groups. */
  readonly group: { readonly provider: string; readonly key: string | undefined } | undefined;
};

const endSql = "extract(epoch FROM a.expires_at)::float8";

const groupAssignment = `json_build_object('id', a.id, 'scope', a.scope_key, 'expiresAt', ${endSql}, 'group', json_build_object(
  'key', a.group_key, 'provider', json_build_object('id', p.id, 'key', p.key, 'name', p.name, 'type', p.type)))`;

const byEmailSql = `
  SELECT a.id, a.email, a.scope_key AS scope, ${endSql} AS "expiresAt"
  FROM assignments a WHERE a.email = $1 AND ${liveSql("a")} ORDER BY a.scope_key`;

const forPersonSql = `SELECT ${rulesForSql("$1::uuid", "$2::text")} AS found`;

const ofGroupsSql = `
  SELECT ${groupAssignment} AS rule
  FROM unnest($1::uuid[], $2::text[]) AS wanted (provider_id, key)
    JOIN group_providers p ON p.id = wanted.provider_id AND p.enabled
    JOIN assignments a ON a.group_provider_id = p.id AND a.group_key = wanted.key AND ${liveSql("a")}`;

const sampleSql = `
  SELECT ${groupAssignment} AS rule
  FROM group_providers p CROSS JOIN scopes s CROSS JOIN LATERAL (
    SELECT e.id, e.scope_key, e.group_key, e.expires_at FROM assignments e
    WHERE e.group_provider_id = p.id AND e.scope_key = s.key AND ${liveSql("e")} ORDER BY e.group_key LIMIT $2
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
const listedSql = `a.id, a.email, a.scope_key AS scope, a.created_at AS "createdAt", a.expires_at AS "expiresAt",
  (SELECT json_build_object('id', u.id, 'name', u.name, 'enabled', u.enabled)
    FROM users u WHERE u.email = a.email) AS person,
  (SELECT json_build_object('provider', p.key, 'providerName', p.name, 'key', a.group_key)
    FROM group_providers p WHERE p.id = a.group_provider_id) AS "group"`;

const groupOfSql = `CASE WHEN a.group_key IS NOT NULL THEN json_build_object(
  'provider', (SELECT p.key FROM group_providers p WHERE p.id = a.group_provider_id), 'key', a.group_key) END`;

const endedSql = `a.email, ${groupOfSql} AS "group", a.scope_key AS scope, NOT ${liveSql("a")} AS over`;

const makeRoomSql = `
  DELETE FROM assignments a
  USING json_to_recordset(?::json) AS w (email text, provider_id uuid, key text, scope text, until timestamptz)
  WHERE a.scope_key = w.scope AND a.expires_at IS NOT NULL AND (a.expires_at <= now() OR a.expires_at < w.until)
    AND (a.email = w.email OR (a.group_provider_id = w.provider_id AND a.group_key = w.key))
  RETURNING ${endedSql}`;

const removeOverSql = `
  DELETE FROM assignments a WHERE a.ctid = ANY (ARRAY(
    SELECT ctid FROM assignments
    WHERE expires_at <= now() AND ($1::text IS NULL OR scope_key = $1) AND ($2::uuid IS NULL OR group_provider_id = $2)
    ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING ${endedSql}`;

/** A day before the end; what is given for less than two days, after half of its time. */
const announceSql = `
  UPDATE assignments a SET announced_at = now() WHERE a.ctid = ANY (ARRAY(
    SELECT ctid FROM assignments
    WHERE expires_at > now() AND announced_at IS NULL
      AND greatest(expires_at - interval '1 day', created_at + (expires_at - created_at) / 2) <= now()
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING a.email, ${groupOfSql} AS "group", a.scope_key AS scope, a.expires_at AS "expiresAt"`;

/**
 * The `PersonRules` as JSON, as an expression for any statement. The person's id and address are SQL expressions, and so is the condition
 * on the rules `a` that decide.
 *
 * However many rules a directory's groups have, one look into the index finds out that there are any: by its order.
 */
export function rulesForSql(userId: string, email: string, deciding = "true"): string {
  return `json_build_object('rules', (
    SELECT coalesce(json_agg(rule), '[]') FROM (
      SELECT json_build_object('id', a.id, 'email', a.email, 'scope', a.scope_key, 'expiresAt', ${endSql}) AS rule
      FROM assignments a WHERE a.email = ${email} AND ${liveSql("a")} AND (${deciding})
      UNION ALL
      SELECT ${groupAssignment}
      FROM user_groups ug JOIN identity_providers i ON i.id = ug.provider_id AND i.enabled
        JOIN group_providers p ON p.identity_provider_id = i.id AND p.enabled
        JOIN assignments a ON a.group_provider_id = p.id AND a.group_key = ANY (ug.groups)
      WHERE ug.user_id = ${userId} AND ug.expires_at > now() AND ${liveSql("a")} AND (${deciding})
    ) AS rules
  ), 'directories', (
    SELECT coalesce(json_agg(p.id), '[]') FROM group_providers p
    WHERE p.type = 'directory' AND p.enabled
      AND (SELECT true FROM assignments a WHERE a.group_provider_id = p.id AND ${liveSql("a")} ORDER BY a.group_key LIMIT 1)
  ), 'unavailable', (
    SELECT coalesce(json_agg(p.id), '[]') FROM user_groups ug JOIN group_providers p ON p.identity_provider_id = ug.provider_id AND p.enabled
    WHERE ug.user_id = ${userId} AND ug.unavailable AND ug.expires_at > now()
  ), 'presenceDueAt', (
    SELECT extract(epoch FROM pr.due_at)::float8 FROM presences pr WHERE pr.user_id = ${userId}
  ))`;
}

function endOf({ expiresAt = null }: NewAssignment): Date | null {
  return expiresAt === null ? null : new Date(expiresAt * 1000);
}

export function createAssignmentStore(database: Database) {
  const ofGroups = () =>
    database("assignments AS a")
      .join("group_providers AS p", "p.id", "a.group_provider_id")
      .whereRaw(liveSql("a"))
      .select<{ rule: GroupAssignment }[]>(database.raw(`${groupAssignment} AS rule`));
  const listed = () =>
    database("assignments AS a").whereRaw(liveSql("a")).select<ListedAssignment[]>(database.raw(listedSql));

  async function insertAllMissing(
    assignments: readonly NewAssignment[],
    at: Date,
  ): Promise<readonly string[]> {
    if (assignments.length === 0) return [];
    const rows = assignments.map((assignment) => ({
      id: assignment.id,
      scope_key: assignment.scope,
      created_at: at,
      expires_at: endOf(assignment),
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
        text: byEmailSql,
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
        .whereRaw(liveSql("a"))
        .whereNotNull("a.email")
        .whereRaw("u.enabled IS NOT FALSE")
        .orderByRaw("u.id IS NULL, a.email")
        .limit(limit)
        .select<AssignedPerson[]>("a.email", "u.name");
    },
    async listFor({ userId, email }: { userId: string; email: string | null }): Promise<PersonRules> {
      const statement = { name: "assignments_for", text: forPersonSql, values: [userId, email] };
      const [row] = await prepared<{ found: PersonRules }>(database, statement);
      return row?.found ?? { rules: [], directories: [], unavailable: [], presenceDueAt: null };
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
    /**
     * Removes those that stand in the way of these: for the same assignee and scope, over already or to end earlier than the new one.
     */
    async makeRoom(assignments: readonly NewAssignment[]): Promise<readonly EndedAssignment[]> {
      const wanted = assignments.map((item) => ({
        email: "email" in item ? item.email : null,
        provider_id: "email" in item ? null : item.group.providerId,
        key: "email" in item ? null : item.group.key,
        scope: item.scope,
        until: endOf(item) ?? "infinity",
      }));
      const rows = await queryRows<EndedAssignment>(database, makeRoomSql, [JSON.stringify(wanted)]);
      return rows;
    },
    /** Removes those whose time is over, the oldest first: of one scope, of one group provider, or of all. */
    async removeOver({ limit, scope, providerId }: OverSelection): Promise<readonly EndedAssignment[]> {
      const values = [scope ?? null, providerId ?? null, limit];
      const statement = { name: "assignments_over", text: removeOverSql, values };
      return await prepared<EndedAssignment>(database, statement);
    },
    /** Marks those that end soon as announced, and returns them; each is returned to one caller only. */
    announce: (limit: number): Promise<readonly EndingAssignment[]> =>
      prepared(database, { name: "assignments_announce", text: announceSql, values: [limit] }),
    async removeAll(ids: readonly string[]): Promise<void> {
      await database("assignments")
        .whereIn("id", [...ids])
        .delete();
    },
    async remove(id: string): Promise<void> {
      await database("assignments").where({ id }).delete();
    },
    async list(asked: AssignmentListRequest): Promise<Page<ListedAssignment>> {
      const { email, scope, scopes, group, ...request } = asked;
      const query = listed();
      if (scopes !== undefined) void query.whereIn("a.scope_key", [...scopes]);
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
      return await listed()
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
