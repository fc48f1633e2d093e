import type { AssignmentStore } from "../assignments.js";
import type { Database } from "./database.js";
import { prepared } from "./database.js";

export function createAssignmentStore(database: Database): AssignmentStore {
  return {
    listByEmail: (email) =>
      prepared(database, {
        name: "assignments_by_email",
        text: "SELECT id, email, scope_key AS scope FROM assignments WHERE email = $1 ORDER BY scope_key",
        values: [email],
      }),
    async insertMissing({ id, email, scope }, at) {
      const rows: unknown[] = await database("assignments")
        .insert({ id, email, scope_key: scope, created_at: at })
        .onConflict(["email", "scope_key"])
        .ignore()
        .returning("id");
      return rows.length > 0;
    },
    async remove(id) {
      await database("assignments").where({ id }).delete();
    },
  };
}
