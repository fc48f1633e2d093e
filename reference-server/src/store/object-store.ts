import type { z } from "zod";
import type { StoredObject } from "../objects/object.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import type { Database } from "./postgres/database.js";
import {
  type Columns,
  columnsOf,
  defineTable,
  insertMissing,
  saveVersioned,
  selectVersion,
  type Table,
  type Versioned,
} from "./postgres/table.js";

interface ObjectTable<Item extends object, Sort extends string> {
  readonly table: Table<Item>;
  /** The column that names an object: its primary key. */
  readonly key: keyof Item & string;
  /** What is listed beside the columns of the table, whose alias is `o`. */
  readonly more?: string;
  readonly sorts: PageColumns<Sort>["sorts"];
}

/** The statements for objects that are kept by their key and found by the column `words`. */
export function createObjectStore<
  Item extends object,
  Listed extends Item & Versioned = Item & Versioned,
  Sort extends string = string,
>(database: Database, { table, key, more, sorts }: ObjectTable<Item, Sort>) {
  const { name } = table;
  const columns = { id: { sql: `o.${key}`, type: "text" }, sorts } as const;
  const selected = [table.select("o"), selectVersion("o"), ...(more === undefined ? [] : [more])].join(", ");
  const listed = () => database(`${name} AS o`).select<Listed[]>(database.raw(selected));

  return {
    /**
     * @param filters - what columns have to be; `undefined`: anything
     * @param ids - only these; absent: all
     */
    async list(
      request: PageRequest<Sort>,
      filters: Readonly<Record<string, boolean | string | undefined>> = {},
      ids?: readonly string[],
    ): Promise<Page<Listed>> {
      const query = listed();
      if (ids !== undefined) void query.whereIn(`o.${key}`, [...ids]);
      for (const [column, value] of Object.entries(filters)) {
        if (value !== undefined) void query.where(`o.${column}`, value);
      }
      whereWords(query, "o.words", request.q);
      return await selectPage(query, { columns, request });
    },
    async describe(id: string): Promise<Listed | undefined> {
      const [row] = await listed().where(`o.${key}`, id);
      return row as Listed | undefined;
    },
    /** Inserts or replaces the row with this key. */
    async save(item: Item, at: Date): Promise<void> {
      await saveVersioned(database, name, { row: table.toRow(item), at, key });
    },
    /** Returns whether the row was new; an existing row stays as it is. */
    async insertMissing(item: Item, at: Date): Promise<boolean> {
      const row = { ...table.toRow(item), created_at: at, updated_at: at };
      return await insertMissing(database, name, { row, key });
    },
    /** Returns whether there was a row. */
    remove: async (id: string): Promise<boolean> =>
      (await database(name)
        .where({ [key]: id })
        .delete()) > 0,
  };
}

export type ObjectStore<Item extends object> = ReturnType<typeof createObjectStore<Item>>;

/** The table of objects whose members are all columns of their names. */
export function objectTable<Members extends z.ZodRawShape>(
  name: string,
  rules: z.ZodObject<Members>,
): Table<StoredObject<z.ZodObject<Members>>> {
  type Item = StoredObject<z.ZodObject<Members>>;
  return defineTable<Item>(name, columnsOf(...Object.keys(rules.shape)) as Columns<Item>);
}
