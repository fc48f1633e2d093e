import type { AddressHolder, AssignmentListStore, ListedAssignment } from "../assignment-list.js";
import type { Database } from "./database.js";
import { type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"assignee" | "scope" | "createdAt"> = {
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

export function createAssignmentListStore(database: Database): AssignmentListStore {
  const listed = () => database("assignments AS a").select(database.raw(listedSql));

  return {
    async list({ email, scope, group, ...request }) {
      const query = listed();
      if (email !== undefined) void query.where("a.email", email);
      if (scope !== undefined) void query.where("a.scope_key", scope);
      if (group !== undefined) {
        const provider = database("group_providers").select("id").where("key", group.provider);
        void query.where("a.group_provider_id", "=", provider);
        if (group.key !== undefined) void query.where("a.group_key", group.key);
      }
      whereWords(query, "a.words", request.q);
      return await selectPage(query, { columns, request });
    },
    async findAll(ids) {
      return await database("assignments AS a")
        .select<ListedAssignment[]>(database.raw(listedSql))
        .whereIn("a.id", [...ids])
        .orderByRaw("coalesce(a.email, a.group_key), a.scope_key");
    },
    async findPeople(emails) {
      return await database("users")
        .select<AddressHolder[]>("email", "enabled")
        .whereIn("email", [...emails])
        .orderBy("email");
    },
  };
}
