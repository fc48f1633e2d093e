import type { Database } from "./database.js";

type Scalar = string | number | boolean | Date | Buffer | readonly unknown[];

/** Where each field of an item is stored. A field without a column does not compile. */
export type Columns<Item> = { readonly [Field in keyof Item]-?: Column<NonNullable<Item[Field]>> };

type Column<Value> =
  | string
  | JsonColumn
  | LinkedScopes
  | (Value extends Scalar ? never : Columns<Value> | NullableColumns<Columns<Value>>);

class JsonColumn {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

class NullableColumns<Group> {
  readonly columns: Group;
  constructor(columns: Group) {
    this.columns = columns;
  }
}

/** Scope keys in a table of their own, which refers to `scopes`. */
export class LinkedScopes {
  readonly table: string;
  /** The column that refers to the `id` of the item. */
  readonly owner: string;
  constructor(table: string, owner: string) {
    this.table = table;
    this.owner = owner;
  }
  select(id: string): string {
    return `ARRAY(SELECT l.scope_key FROM ${this.table} l WHERE l.${this.owner} = ${id} ORDER BY l.scope_key)`;
  }
  /** Makes these the scopes of an item. */
  async save(database: Database, id: string, scopes: readonly string[]): Promise<void> {
    await database(this.table)
      .where({ [this.owner]: id })
      .whereNotIn("scope_key", [...scopes])
      .delete();
    const rows = scopes.map((scope) => ({ [this.owner]: id, scope_key: scope }));
    if (rows.length > 0) await database(this.table).insert(rows).onConflict().ignore();
  }
}

/** The columns of fields that are stored under their own names: `requestHeaders` in `request_headers`. */
export function columnsOf<Field extends string>(
  ...fields: readonly Field[]
): Readonly<Record<Field, string>> {
  const columns = fields.map((field) => [
    field,
    field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ]);
  return Object.fromEntries(columns) as Record<Field, string>;
}

/** A column of type `json` or `jsonb`. */
export function json(name: string): JsonColumn {
  return new JsonColumn(name);
}

/** A field that is `null` when all of its columns are. */
export function orNull<Group>(columns: Group): NullableColumns<Group> {
  return new NullableColumns(columns);
}

type Fields = Readonly<Record<string, unknown>>;

/** How the items of one type are rows of one table: the only place that knows both names of a field. */
export interface Table<Item extends object> {
  readonly name: string;
  /** In the order of `toRow`. */
  readonly columns: readonly string[];
  /** What SELECT and RETURNING name. Each column comes back as its field is called, after the prefix. */
  select(alias?: string, prefix?: string): string;
  /** The item as one JSON object of SQL: one column, which is read several times as fast as many. */
  toJsonSql(alias: string): string;
  /** The item of such an object. Dates and bytes are what they are only if the table says which fields have them. */
  fromJson(object: object): Item;
  /** The item of a row that was selected so; the row may have more. */
  fromRow(row: object, prefix?: string): Item;
  /** The same table for items that lack some fields. */
  without<Field extends keyof Item & string>(...fields: readonly Field[]): Table<Omit<Item, Field>>;
  /** What INSERT and UPDATE write. A field that is absent stays out. */
  toRow(item: Partial<Item>): Record<string, unknown>;
}

interface Place {
  readonly field: string;
  /** Of a field that has several columns. */
  readonly part: string | undefined;
  readonly as: string;
  readonly column: string | JsonColumn | LinkedScopes;
}

/** What JSON has as texts. Fields are named as `select` names them, such as `refresh.until`. */
interface JsonTexts {
  /** To the millisecond, as everywhere. */
  readonly dates?: readonly string[];
  readonly bytes?: readonly string[];
}

export function defineTable<Item extends object>(
  name: string,
  columns: Columns<Item>,
  { dates = [], bytes = [] }: JsonTexts = {},
): Table<Item> {
  const fields = Object.entries(columns as Readonly<Record<string, Column<object>>>);
  const places = fields.flatMap(([field, column]) => placesOf(field, column));
  const nullable = new Set(
    fields.flatMap(([field, column]) => (column instanceof NullableColumns ? field : [])),
  );
  const grouped = new Set(places.flatMap(({ field, part }) => (part === undefined ? [] : field)));
  const single = places.filter(({ part }) => part === undefined);

  const groupOf = (row: Fields, { field, prefix }: { readonly field: string; readonly prefix: string }) => {
    const parts = places.filter((place) => place.field === field);
    const values = parts.map(({ part = "", as }) => [part, row[prefix + as]] as const);
    const isNull = nullable.has(field) && values.every(([, value]) => value === null);
    return isNull ? null : Object.fromEntries(values);
  };

  const fromRow = (row: object, prefix = "") => {
    const item: Record<string, unknown> = {};
    for (const { field, as } of single) item[field] = (row as Fields)[prefix + as];
    for (const field of grouped) item[field] = groupOf(row as Fields, { field, prefix });
    return item as Item;
  };

  return {
    name,
    columns: places.flatMap(({ column }) =>
      column instanceof LinkedScopes ? [] : column instanceof JsonColumn ? column.name : column,
    ),
    select(alias = name, prefix = "") {
      return places.map(({ column, as }) => `${sqlOf(column, alias)} AS "${prefix}${as}"`).join(", ");
    },
    toJsonSql(alias) {
      const members = places.map(({ as, column }) => {
        const sql = sqlOf(column, alias);
        // How bytes are written otherwise, a setting of the database says.
        return `'${as}', ${bytes.includes(as) ? `encode(${sql}, 'hex')` : sql}`;
      });
      return `json_build_object(${members.join(", ")})`;
    },
    fromJson(object) {
      const row: Record<string, unknown> = { ...object };
      for (const as of dates) if (typeof row[as] === "string") row[as] = new Date(row[as]);
      for (const as of bytes) if (typeof row[as] === "string") row[as] = Buffer.from(row[as], "hex");
      return fromRow(row);
    },
    fromRow,
    without(...omitted) {
      const kept = fields.filter(([field]) => !(omitted as readonly string[]).includes(field));
      return defineTable(name, Object.fromEntries(kept) as never, { dates, bytes });
    },
    toRow(item) {
      const row: Record<string, unknown> = {};
      for (const { field, part, column } of places) {
        if (column instanceof LinkedScopes) continue;
        const whole = (item as Fields)[field];
        const value =
          part === undefined || whole === null || whole === undefined ? whole : (whole as Fields)[part];
        if (value === undefined) continue;
        if (column instanceof JsonColumn) row[column.name] = JSON.stringify(value);
        else row[column] = value;
      }
      return row;
    },
  };
}

function placesOf(field: string, column: Column<object>): readonly Place[] {
  if (typeof column === "string" || column instanceof JsonColumn || column instanceof LinkedScopes)
    return [{ field, part: undefined, as: field, column }];
  const columns = column instanceof NullableColumns ? column.columns : column;
  return Object.entries(columns as Readonly<Record<string, string>>).map(([part, name]) => ({
    field,
    part,
    as: `${field}.${part}`,
    column: name,
  }));
}

function sqlOf(column: Place["column"], alias: string): string {
  if (column instanceof LinkedScopes) return column.select(`${alias}.id`);
  return `${alias}.${column instanceof JsonColumn ? column.name : column}`;
}

/** What administrators see of a row that they change. */
export interface Versioned {
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Counts the changes, for `If-Match`. */
  readonly version: number;
}

/** The columns of `Versioned`. */
export const versionColumns: Columns<Versioned> = {
  createdAt: "created_at",
  updatedAt: "updated_at",
  version: "version",
};

/** The same for a SELECT beside the columns of a table. */
export function selectVersion(alias: string): string {
  return `${alias}.version, ${alias}.created_at AS "createdAt", ${alias}.updated_at AS "updatedAt"`;
}

/** Inserts a row, or replaces the one with the same key and counts its version up. */
export async function saveVersioned(
  database: Database,
  table: string,
  {
    row,
    at,
    key = "id",
    onlyNew = {},
  }: {
    readonly row: Readonly<Record<string, unknown>>;
    readonly at: Date;
    readonly key?: string;
    /** What is written of a row that is new, and stays as it is of another one. */
    readonly onlyNew?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const { [key]: _key, ...rest } = row;
  await database(table)
    .insert({ ...row, ...onlyNew, created_at: at, updated_at: at })
    .onConflict(key)
    .merge({ ...rest, updated_at: at, version: database.raw("??.version + 1", [table]) });
}

/** Returns whether the row was new; an existing row with the same key stays as it is. */
export async function insertMissing(
  database: Database,
  table: string,
  {
    row,
    key = "id",
  }: { readonly row: Readonly<Record<string, unknown>>; readonly key?: string | readonly string[] },
): Promise<boolean> {
  const keys = typeof key === "string" ? [key] : [...key];
  const inserted: unknown[] = await database(table).insert(row).onConflict(keys).ignore().returning(keys);
  return inserted.length > 0;
}

/** Inserts a row as far as a condition holds. Returns whether it did. */
export async function insertIf(
  database: Database,
  table: string,
  {
    row,
    from,
    values,
  }: {
    readonly row: Readonly<Record<string, unknown>>;
    /** What follows FROM: one row, or none. */
    readonly from: string;
    readonly values: readonly string[];
  },
): Promise<boolean> {
  const columns = Object.keys(row).join(", ");
  const places = Object.keys(row).map(() => "?");
  const result: { rowCount: number } = await database.raw(
    `INSERT INTO ${table} (${columns}) SELECT ${places.join(", ")} FROM ${from}`,
    [...(Object.values(row) as string[]), ...values],
  );
  return result.rowCount > 0;
}
