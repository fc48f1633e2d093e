import type { Knex } from "knex";

/** One page of a list, as it is asked for. */
export interface PageRequest<Sort extends string = string> {
  readonly limit: number;
  readonly sort: Sort;
  readonly descending: boolean;
  /** Where the page before ended: `Page.next` of that page. */
  readonly after: PagePosition | undefined;
  /** What the items have to contain, in any case, with or without accents. */
  readonly q: string | undefined;
  /** Whether to count all that fit, on the first page. */
  readonly counted?: boolean;
}

/** As far as a list is counted, and as many as can be chosen at once. */
export const mostCounted = 10_000;

/** The sort value and the id of the last item of a page, as text. */
export interface PagePosition {
  readonly value: string;
  readonly id: string;
}

/** Some items of a list, and where the next page begins. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: PagePosition | undefined;
  /** How many fit, when that was asked on the first page; `mostCounted + 1` stands for more. */
  readonly total?: number | undefined;
}

/** The position is not one that a page of this list ended at. */
export class PagePositionError extends Error {
  override readonly name = "PagePositionError";
  constructor(options?: ErrorOptions) {
    super("The position is not one of this list.", options);
  }
}

/** How a list can be sorted. The expressions are SQL of ours, never NULL, and each has an index. */
export interface PageColumns<Sort extends string> {
  /** What makes each row unique, such as `s.key`. */
  readonly id: { readonly sql: string; readonly type: "text" | "uuid" | "bigint" };
  readonly sorts: Readonly<
    Record<Sort, { readonly sql: string; readonly type: "text" | "timestamptz" | "bigint" | "integer" }>
  >;
}

type PageRow<Row> = Row & { page_value: string; page_id: string };

/**
 * Runs a query for one page (keyset paging: stable while rows come and go, and as fast on the last page as on the first).
 *
 * @param query - selects the rows, without order and limit
 */
export async function selectPage<Row extends object, Sort extends string>(
  query: Knex.QueryBuilder,
  { columns, request }: { readonly columns: PageColumns<Sort>; readonly request: PageRequest<Sort> },
): Promise<Page<Row>> {
  const { id, sorts } = columns;
  const { limit, sort, descending, after } = request;
  const column = sorts[sort];
  const direction = descending ? "DESC" : "ASC";
  const total = request.counted === true && after === undefined ? await count(query) : undefined;
  const page = query.client.raw(`${column.sql}::text AS page_value, ${id.sql}::text AS page_id`);
  void query
    .select(page)
    .orderByRaw(`${column.sql} ${direction}, ${id.sql} ${direction}`)
    .limit(limit + 1);
  if (after !== undefined) {
    void query.whereRaw(
      `(${column.sql}, ${id.sql}) ${descending ? "<" : ">"} (?::${column.type}, ?::${id.type})`,
      [after.value, after.id],
    );
  }
  const found = (await run(query, after)) as PageRow<Row>[];
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const next =
    found.length > limit && last !== undefined ? { value: last.page_value, id: last.page_id } : undefined;
  const items = rows.map(({ page_value: _value, page_id: _id, ...row }) => row as unknown as Row);
  return { items, next, total };
}

/** Counts up to `mostCounted`, so that a trail of millions is not read for a number. */
async function count(query: Knex.QueryBuilder): Promise<number> {
  const { client } = query as unknown as { readonly client: Knex.Client };
  const counted = query
    .clone()
    .clearSelect()
    .select(client.raw("1 AS one"))
    .limit(mostCounted + 1);
  const [row] = await client
    .queryBuilder()
    .count<{ readonly total: string }[]>({ total: "*" })
    .from(counted.as("counted"));
  return Number(row?.total);
}

/** Class 22 is "data exception": the value of a position that is not one of ours cannot be read. */
async function run(query: Knex.QueryBuilder, after: PagePosition | undefined): Promise<unknown> {
  try {
    return (await query) as unknown;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (after === undefined || typeof code !== "string" || !code.startsWith("22")) throw error;
    throw new PagePositionError({ cause: error });
  }
}

/**
 * Lets a query find only rows whose words begin with the words of a text, in any order, in any case, with or without accents.
 *
 * @param column - made by the SQL function `search_words`, with a GIN index
 */
export function whereWords(query: Knex.QueryBuilder, column: string, text: string | undefined): void {
  if (hasWords(text)) void query.whereRaw(`${column} @@ search_prefixes(?)`, [text]);
}

/**
 * Lets a query find only rows with a text anywhere in them, in any case, with or without accents; punctuation counts as a space.
 * For lists that are short enough to be read.
 *
 * @param searched - SQL of ours, never NULL
 */
export function whereContains(query: Knex.QueryBuilder, searched: string, text: string | undefined): void {
  // Folding leaves no character that means something to LIKE.
  const pattern = "'%' || btrim(lower(search_fold(?))) || '%'";
  if (hasWords(text)) void query.whereRaw(`lower(search_fold(${searched})) LIKE ${pattern}`, [text]);
}

/** Whether there is anything to look for but spaces and punctuation. */
export function hasWords(text: string | undefined): text is string {
  return /[^\s\p{Cc}!-/:-@[-`{-~]/u.test(text ?? "");
}
