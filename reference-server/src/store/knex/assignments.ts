import type { AssignedPerson, AssignmentStore, GroupAssignment, PersonRules } from "../assignments.js";
import type { Database } from "./database.js";
import { prepared } from "./database.js";

const groupAssignment = `json_build_object('id', a.id, 'scope', a.scope_key, 'group', json_build_object(
  'key', a.group_key, 'provider', json_build_object('id', p.id, 'key', p.key, 'name', p.name, 'type', p.type)))`;

/**
 * The `PersonRules` as JSON, as an expression for any statement. The person's id and address are SQL expressions.
 *
 * However many rules a directory's groups have, one look into the index finds out that there are any: by its order.
 */
export function rulesForSql(userId: string, email: string): string {
  return `json_build_object('rules', (
    SELECT coalesce(json_agg(rule), '[]') FROM (
      SELECT json_build_object('id', a.id, 'email', a.email, 'scope', a.scope_key) AS rule
      FROM assignments a WHERE a.email = ${email}
      UNION ALL
      SELECT ${groupAssignment}
      FROM user_groups g JOIN identity_providers i ON i.id = g.provider_id AND i.enabled
        JOIN group_providers p ON p.identity_provider_id = i.id AND p.enabled
        JOIN assignments a ON a.group_provider_id = p.id AND a.group_key = ANY (g.groups)
      WHERE g.user_id = ${userId} AND g.expires_at > now()
    ) AS rules
  ), 'directories', (
    SELECT coalesce(json_agg(p.id), '[]') FROM group_providers p
    WHERE p.type = 'directory' AND p.enabled
      AND (SELECT true FROM assignments a WHERE a.group_provider_id = p.id ORDER BY a.group_key LIMIT 1)
  ))`;
}

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

export function createAssignmentStore(database: Database): AssignmentStore {
  const ofGroups = () =>
    database("assignments AS a")
      .join("group_providers AS p", "p.id", "a.group_provider_id")
      .select<{ rule: GroupAssignment }[]>(database.raw(`${groupAssignment} AS rule`));

  return {
    listByEmail: (email) =>
      prepared(database, {
        name: "assignments_by_email",
        text: "SELECT id, email, scope_key AS scope FROM assignments WHERE email = $1 ORDER BY scope_key",
        values: [email],
      }),
    async listByGroup({ providerId, key }) {
      const rows = await ofGroups()
        .where({ "a.group_provider_id": providerId, "a.group_key": key })
        .orderBy("a.scope_key");
      return rows.map(({ rule }) => rule);
    },
    async listGroupsByScope(scope, limit) {
      const rows = await ofGroups()
        .where({ "a.scope_key": scope, "p.enabled": true })
        .orderBy(["p.key", "a.group_key"])
        .limit(limit);
      return rows.map(({ rule }) => rule);
    },
    async listPeopleByScope(scope, limit) {
      return await database("assignments AS a")
        .leftJoin("users AS u", "u.email", "a.email")
        .where("a.scope_key", scope)
        .whereNotNull("a.email")
        .whereRaw("u.enabled IS NOT FALSE")
        .orderByRaw("u.id IS NULL, a.email")
        .limit(limit)
        .select<AssignedPerson[]>("a.email", "u.name");
    },
    async listFor({ userId, email }) {
      const statement = { name: "assignments_for", text: forPersonSql, values: [userId, email] };
      const [row] = await prepared<{ found: PersonRules }>(database, statement);
      return row?.found ?? { rules: [], directories: [] };
    },
    async listOfGroups(groups) {
      const providerIds = groups.flatMap(({ providerId, keys }) => keys.map(() => providerId));
      const values = [providerIds, groups.flatMap(({ keys }) => keys)];
      const statement = { name: "assignments_of_groups", text: ofGroupsSql, values };
      const rows = await prepared<{ rule: GroupAssignment }>(database, statement);
      return rows.map(({ rule }) => rule);
    },
    async sampleByScope(providerIds, groupsPerScope) {
      const values = [providerIds, groupsPerScope];
      const statement = { name: "assignments_sample", text: sampleSql, values };
      const rows = await prepared<{ rule: GroupAssignment }>(database, statement);
      return rows.map(({ rule }) => rule);
    },
    async insertMissing(assignment, at) {
      const { id, scope } = assignment;
      const assignee =
        "email" in assignment
          ? { email: assignment.email }
          : { group_provider_id: assignment.group.providerId, group_key: assignment.group.key };
      const rows: unknown[] = await database("assignments")
        .insert({ id, scope_key: scope, created_at: at, ...assignee })
        .onConflict([...Object.keys(assignee), "scope_key"])
        .ignore()
        .returning("id");
      return rows.length > 0;
    },
    async insertAllMissing(assignments, at) {
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
    },
    async removeAll(ids) {
      await database("assignments")
        .whereIn("id", [...ids])
        .delete();
    },
    async remove(id) {
      await database("assignments").where({ id }).delete();
    },
  };
}
