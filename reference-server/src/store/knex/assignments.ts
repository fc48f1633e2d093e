import type { AssignedPerson, Assignment, AssignmentStore, GroupAssignment } from "../assignments.js";
import type { Database } from "./database.js";
import { prepared } from "./database.js";

const groupAssignment = `json_build_object('id', a.id, 'scope', a.scope_key, 'group', json_build_object(
  'key', a.group_key, 'provider', json_build_object('id', p.id, 'key', p.key, 'name', p.name, 'type', p.type)))`;

/**
 * A JSON array of the rules that can apply to a person, as an expression for any statement.
 *
 * The person's id and address are SQL expressions; see `AssignmentStore.listFor`.
 */
export function assignmentsForSql(userId: string, email: string): string {
  return `(
    SELECT coalesce(json_agg(rule), '[]') FROM (
      SELECT json_build_object('id', a.id, 'email', a.email, 'scope', a.scope_key) AS rule
      FROM assignments a WHERE a.email = ${email}
      UNION ALL
      SELECT ${groupAssignment}
      FROM user_groups g JOIN identity_providers i ON i.id = g.provider_id AND i.enabled
        JOIN group_providers p ON p.identity_provider_id = i.id AND p.enabled
        JOIN assignments a ON a.group_provider_id = p.id AND a.group_key = ANY (g.groups)
      WHERE g.user_id = ${userId} AND g.expires_at > now()
      UNION ALL
      SELECT ${groupAssignment}
      FROM group_providers p JOIN assignments a ON a.group_provider_id = p.id
      WHERE p.type = 'directory' AND p.enabled
    ) AS rules)`;
}

const forPersonSql = `SELECT ${assignmentsForSql("$1::uuid", "$2::text")} AS rules`;

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
      const [row] = await prepared<{ rules: Assignment[] }>(database, statement);
      return row?.rules ?? [];
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
