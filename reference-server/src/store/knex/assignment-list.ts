import type { AssignmentListStore, ListedAssignment } from "../assignment-list.js";
import type { Page } from "../page.js";
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

interface ListedRow {
  readonly id: string;
  readonly email: string | null;
  readonly scope: string;
  readonly created_at: Date;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly user_enabled: boolean | null;
  readonly group_key: string | null;
  readonly provider_key: string | null;
  readonly provider_name: string | null;
}

export function createAssignmentListStore(database: Database): AssignmentListStore {
  const listed = () =>
    database("assignments AS a")
      .leftJoin("users AS u", "u.email", "a.email")
      .leftJoin("group_providers AS p", "p.id", "a.group_provider_id")
      .select({
        id: "a.id",
        email: "a.email",
        scope: "a.scope_key",
        created_at: "a.created_at",
        user_id: "u.id",
        user_name: "u.name",
        user_enabled: "u.enabled",
        group_key: "a.group_key",
        provider_key: "p.key",
        provider_name: "p.name",
      });

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
      const page: Page<ListedRow> = await selectPage(query, { columns, request });
      return { items: page.items.map(fromRow), next: page.next };
    },
    async findAll(ids) {
      const rows: ListedRow[] = await listed()
        .whereIn("a.id", [...ids])
        .orderByRaw("coalesce(a.email, a.group_key), a.scope_key");
      return rows.map(fromRow);
    },
  };
}

function fromRow(row: ListedRow): ListedAssignment {
  const { user_id: userId, user_name: name, user_enabled: enabled } = row;
  const { group_key: key, provider_key: provider, provider_name: providerName } = row;
  return {
    id: row.id,
    email: row.email,
    person: userId === null || enabled === null ? null : { id: userId, name, enabled },
    group:
      key === null || provider === null || providerName === null ? null : { provider, providerName, key },
    scope: row.scope,
    createdAt: row.created_at,
  };
}
