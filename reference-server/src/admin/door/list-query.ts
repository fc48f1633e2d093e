import { z } from "zod";
import { mostCounted, type Page, type PagePosition, type PageRequest } from "../../store/page.js";
import { issue, fault } from "../../objects/check.js";
import { invalid, type Refusal } from "../../registry/refusal.js";

const limit = z.coerce
  .number(issue("aNumber").message)
  .int(issue("wholeNumber").message)
  .min(1, issue("numberLeast").message)
  .max(200, issue("numberMost").message);

/** The text of a search. */
export const searched = z
  .string()
  .trim()
  .max(200)
  .optional()
  .describe("What the items have to contain, in any case, with or without accents");

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
    q: searched,
    total: queryBoolean
      .optional()
      .describe(`\`true\`: the first page says how many fit, up to ${mostCounted} of them`),
    sort: z
      .enum(both)
      .optional()
      .describe(`\`${defaultSort}\` by default`)
      .transform((sort) => sort ?? defaultSort),
  });
  return base.extend(list.filters);
}

/** The answer of a list. */
export function listAnswer<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    nextCursor: z.string().nullable().describe("`null` on the last page"),
    total: z
      .int()
      .optional()
      .describe(`How many fit, on a first page that was asked for it; ${mostCounted + 1} stands for more`),
  });
}

/** The same as a type. */
export interface Listing<Item> {
  items: Item[];
  nextCursor: string | null;
  total?: number | undefined;
}

/** What every query of a list has. */
export interface ParsedListQuery<Sort extends string> {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly q?: string | undefined;
  readonly total?: boolean | undefined;
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
    counted: query.total === true,
  };
}

export type WithoutSign<Sort extends string> = Sort extends `-${infer Name}` ? Name : Sort;

/** A page of the store as the answer of a list. */
export function fromPage<Item, Shown>(
  page: Page<Item>,
  { query, show }: { readonly query: { readonly sort: string }; readonly show: (item: Item) => Shown },
): Listing<Shown> {
  const { items, next, total } = page;
  return {
    items: items.map(show),
    nextCursor: next === undefined ? null : formatCursor(next, query.sort),
    ...(total !== undefined && { total }),
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

/** A group or all of a provider in a query. */
export const groupFilter = z
  .string()
  .max(400)
  .regex(/^[a-z0-9][a-z0-9-]*(?::[\s\S]+)?$/, issue("groupFilter").message)
  .optional()
  .describe("The key of a group provider, or `provider:group` for one group");

/** What {@link groupFilter} names: a group may have colons of its own. */
export function parseGroup(
  text: string | undefined,
): { readonly provider: string; readonly key: string | undefined } | undefined {
  if (text === undefined) return undefined;
  const colon = text.indexOf(":");
  if (colon === -1) return { provider: text, key: undefined };
  return { provider: text.slice(0, colon), key: text.slice(colon + 1) };
}

/** A point in time as answers write it. */
export function isoTime(at: Date): string {
  return at.toISOString();
}

/** What a cursor says is not a position of the list. */
export function invalidCursor(): Refusal {
  return invalid(fault("cursor", "foreignCursor"));
}
