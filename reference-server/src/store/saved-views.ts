import { randomUUID } from "node:crypto";
import type { Database } from "./postgres/database.js";

/** A saved view of a list of the console. */
export interface SavedView {
  readonly id: string;
  /** Unique among theirs of this list. */
  readonly name: string;
  /** What stands behind the question mark of the console's address. */
  readonly query: string;
}

/** A person's views of one list. */
interface ViewsOf {
  readonly userId: string;
  readonly list: string;
}

/** Most views of one person and list. */
export const mostViews = 50;

const saveSql = `
  INSERT INTO saved_views (id, user_id, list, name, query, saved_at)
  SELECT :id, :userId, :list, :name, :query, :at
  WHERE (SELECT count(*) FROM saved_views v WHERE v.user_id = :userId AND v.list = :list AND v.name <> :name) < ${mostViews}
  ON CONFLICT (user_id, list, name) DO UPDATE SET query = excluded.query, saved_at = excluded.saved_at
  RETURNING id, name, query`;

export function createSavedViewStore(database: Database) {
  return {
    /** By name. */
    async list({ userId, list }: ViewsOf): Promise<readonly SavedView[]> {
      return await database("saved_views")
        .where({ user_id: userId, list })
        .orderByRaw("lower(name), name")
        .select<SavedView[]>("id", "name", "query");
    },
    /** Stores it in place of the one with its name; `undefined` when the person has {@link mostViews} others. */
    async save(view: ViewsOf & Pick<SavedView, "name" | "query">, at: Date): Promise<SavedView | undefined> {
      // Concurrent saves would count the same rows, so saves of one person wait for each other.
      await database("users").select("id").where({ id: view.userId }).forNoKeyUpdate();
      const values = { ...view, id: randomUUID(), at };
      const { rows } = await database.raw<{ rows: SavedView[] }>(saveSql, values);
      return rows[0];
    },
    /** Returns whether it was there, and that person's. */
    async remove({ id, userId }: { readonly id: string; readonly userId: string }): Promise<boolean> {
      return (await database("saved_views").where({ id, user_id: userId }).delete()) > 0;
    },
  };
}
