import { z } from "zod";
import type { Page, PagePosition, PageRequest } from "../../store/page.js";
import { issue } from "../../registry/check.js";
import { fault, invalid, type Refusal } from "../../registry/refusal.js";

const limit = z.coerce
  .number(issue("aNumber").message)
  .int(issue("wholeNumber").message)
  .min(1, issue("numberLeast").message)
  .max(200, issue("numberMost").message);

/**
 * The query of a list: `limit`, `cursor`, `q`, `sort`, and the filters of that list.
 *
 * @param sorts - the sort keys; the first one is the default, each also with `-` for descending
 * @param defaultSort - another default, such as `-at`
 * @param filters - `{}` when there are none
 */
export function listQuery<
  const Sort extends string,
  Filters extends Readonly<Record<string, z.ZodType>>,
>(list: {
  readonly sorts: readonly [Sort, ...Sort[]];
  readonly defaultSort?: Sort | `-${Sort}`;
  readonly filters: Filters;
}) {
  const { sorts, defaultSort = sorts[0] } = list;
  const both = sorts.flatMap((sort): (Sort | `-${Sort}`)[] => [sort, `-${sort}`]);
  const base = z.strictObject({
    limit: limit.default(50),
    cursor: z.string().max(8000).optional().describe("`nextCursor` of the page before"),
    q: z.string().trim().max(200).optional().describe("What the items have to contain, in any case"),
    sort: z
      .enum(both)
      .optional()
      .describe(`\`${defaultSort}\` unless something else is said`)
      .transform((sort) => sort ?? defaultSort),
  });
  return base.extend(list.filters);
}

/** The answer of a list. */
export function listAnswer<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    nextCursor: z.string().nullable().describe("`null` on the last page"),
  });
}

/** What every query of a list has. */
interface ParsedListQuery<Sort extends string> {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly q?: string | undefined;
  readonly sort: Sort | `-${Sort}`;
}

/**
 * The page that a query asks for, in the store's words.
 *
 * @throws {Refusal} The cursor is not one of this list in this order.
 */
export function toPageRequest<Sort extends string>(
  query: ParsedListQuery<Sort>,
): PageRequest<WithoutSign<Sort>> {
  const { sort: signed, cursor, q } = query;
  const descending = signed.startsWith("-");
  const sort = (descending ? signed.slice(1) : signed) as WithoutSign<Sort>;
  return {
    limit: query.limit,
    sort,
    descending,
    after: cursor === undefined ? undefined : parseCursor(cursor, signed),
    q: q === undefined || q === "" ? undefined : q,
  };
}

type WithoutSign<Sort extends string> = Sort extends `-${infer Name}` ? Name : Sort;

/** A page of the store as the answer of a list. */
export function fromPage<Item, Shown>(
  page: Page<Item>,
  { query, show }: { readonly query: { readonly sort: string }; readonly show: (item: Item) => Shown },
): { items: Shown[]; nextCursor: string | null } {
  const { items, next } = page;
  return {
    items: items.map(show),
    nextCursor: next === undefined ? null : formatCursor(next, query.sort),
  };
}

const cursorSchema = z.tuple([z.string(), z.string(), z.string()]);

function formatCursor({ value, id }: PagePosition, sort: string): string {
  return Buffer.from(JSON.stringify([sort, value, id])).toString("base64url");
}

function parseCursor(cursor: string, sort: string): PagePosition {
  const { data } = cursorSchema.safeParse(parseJson(Buffer.from(cursor, "base64url").toString("utf8")));
  if (data === undefined || data[0] !== sort || data.join("").includes("\0")) {
    throw invalidCursor();
  }
  const [, value, id] = data;
  return { value, id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A member of a query that may be there several times: `?scope=a&scope=b`. Always a list. */
export function repeatable<Item extends z.ZodType<string, string>>(item: Item, maximum = 100) {
  return z.union([z.array(item).max(maximum), item.transform((value) => [value])]);
}

/** `true` or `false` in a query. */
export const queryBoolean = z.enum(["true", "false"]).transform((value) => value === "true");

/** A point in time in an answer. */
export const timestamp = z.iso.datetime();

/** A point in time as answers write it. */
export function isoTime(at: Date): string {
  return at.toISOString();
}

/** What a cursor says is not a position of the list. */
export function invalidCursor(): Refusal {
  return invalid(fault("cursor", "foreignCursor"));
}
