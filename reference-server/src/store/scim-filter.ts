/** A filter of SCIM (RFC 7644 §3.4.2.2). Names of attributes are in lower case, without the URN of the resource's own schema. */
export type Filter =
  | Comparison
  | { readonly op: "and" | "or"; readonly filters: readonly Filter[] }
  | { readonly op: "not"; readonly filter: Filter }
  /** `emails[type eq "work"]`; `compared`: `emails[type eq "work"].value eq "…"`, about the same element. */
  | {
      readonly op: "some";
      readonly attribute: string;
      readonly filter: Filter;
      readonly compared: Comparison | undefined;
    };

export type Comparison =
  | { readonly op: "pr"; readonly attribute: string }
  | { readonly op: ComparisonOperator; readonly attribute: string; readonly value: FilterValue };

type ComparisonOperator = (typeof comparisonOperators)[number];
export type FilterValue = string | number | boolean | null;

export const comparisonOperators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;

/** An attribute that can be filtered by. `text` is compared without case, `exact` with it. */
type FilterColumn =
  | { readonly type: "text" | "exact" | "uuid" | "boolean" | "timestamp"; readonly sql: string }
  | {
      readonly type: "list";
      /** What follows FROM, and what makes an element one of the row's. */
      readonly from: string;
      readonly where?: string;
      /** By the names of parts; `""` is what a comparison with the list itself means. */
      readonly parts: FilterColumns;
      /** Finds the rows by an index that have an element with a value. */
      readonly indexed?: string;
    };

export interface FilterColumns {
  readonly [name: string]: FilterColumn;
}

/** A condition for `whereRaw`. Nothing of the filter's text is in `sql`: names come from the columns, values are bound. */
export interface Condition {
  readonly sql: string;
  readonly bindings: readonly (string | boolean)[];
}

/** Why a filter cannot be used. */
export class FilterError extends Error {
  override readonly name = "FilterError";
}

/** Turns a filter into a condition. @throws {FilterError} It names an unknown attribute, or compares it with something else. */
export function toCondition(filter: Filter, columns: FilterColumns): Condition {
  if ("filters" in filter) {
    const parts = filter.filters.map((part) => toCondition(part, columns));
    return {
      sql: `(${parts.map(({ sql }) => sql).join(` ${filter.op.toUpperCase()} `)})`,
      bindings: parts.flatMap(({ bindings }) => bindings),
    };
  }
  if (filter.op === "not") {
    const { sql, bindings } = toCondition(filter.filter, columns);
    return { sql: `(${sql}) IS NOT TRUE`, bindings };
  }
  if (filter.op !== "some") return compare(filter, columns);
  const list = findColumn(columns, filter.attribute);
  if (list.type !== "list") throw new FilterError(`"${filter.attribute}" has one value, and no filter.`);
  const { compared } = filter;
  const inner: Filter =
    compared === undefined ? filter.filter : { op: "and", filters: [filter.filter, compared] };
  return toExists(list, inner);
}

function toExists(list: FilterColumn & { readonly type: "list" }, inner: Filter): Condition {
  const { sql, bindings } = toCondition(inner, list.parts);
  const exists = `EXISTS (SELECT FROM ${list.from} WHERE ${list.where ?? "true"} AND (${sql}))`;
  const value = requiredValue(inner);
  if (list.indexed === undefined || value === undefined) return { sql: exists, bindings };
  return { sql: `(${list.indexed} AND ${exists})`, bindings: [value, ...bindings] };
}

/** The value that an element has to have for the filter to hold. */
function requiredValue(filter: Filter): string | undefined {
  if (filter.op === "and") return filter.filters.map(requiredValue).find((value) => value !== undefined);
  const isValue = filter.op === "eq" && (filter.attribute === "value" || filter.attribute === "");
  return isValue && typeof filter.value === "string" ? filter.value : undefined;
}

function findColumn(columns: FilterColumns, name: string): FilterColumn {
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (column === undefined) throw new FilterError(`"${name.slice(0, 100)}" cannot be filtered by here.`);
  return column;
}

function compare(comparison: Comparison, columns: FilterColumns): Condition {
  const { attribute } = comparison;
  const [first = "", ...rest] = attribute.split(".");
  const own = Object.hasOwn(columns, attribute) ? columns[attribute] : undefined;
  const list = rest.length === 1 && Object.hasOwn(columns, first) ? columns[first] : undefined;
  const column = own ?? list;
  if (column?.type === "list") {
    return toExists(column, { ...comparison, attribute: own === undefined ? (rest[0] ?? "") : "" });
  }
  const { type, sql } = findColumn(columns, attribute) as Exclude<FilterColumn, { type: "list" }>;
  if (comparison.op === "pr") return { sql: `${sql} IS NOT NULL`, bindings: [] };
  const { op, value } = comparison;
  if (value === null) return compareNull(op, sql, attribute);
  if (type === "boolean") return compareBoolean({ op, sql, attribute }, value);
  const text = requireText(value, attribute);
  if (type === "text") return compareText({ op, sql: `lower(${sql})`, bound: "lower(?)" }, text);
  if (type === "exact") return compareText({ op, sql, bound: "?" }, text);
  return type === "uuid" ? compareId({ op, sql }, text) : compareMoment({ op, sql }, text);
}

const equality = { eq: "=", ne: "IS DISTINCT FROM" } as const;
const order = { gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

function compareBoolean(
  {
    op,
    sql,
    attribute,
  }: { readonly op: ComparisonOperator; readonly sql: string; readonly attribute: string },
  value: FilterValue,
): Condition {
  if (typeof value !== "boolean") throw new FilterError(`"${attribute}" is compared with true or false.`);
  if (op !== "eq" && op !== "ne") throw new FilterError(`"${attribute}" is compared by eq and ne.`);
  return { sql: `${sql} ${equality[op]} ?`, bindings: [value] };
}

function compareNull(op: ComparisonOperator, sql: string, attribute: string): Condition {
  if (op === "eq") return { sql: `${sql} IS NULL`, bindings: [] };
  if (op === "ne") return { sql: `${sql} IS NOT NULL`, bindings: [] };
  throw new FilterError(`"${attribute}" is compared with null by eq and ne.`);
}

function requireText(value: FilterValue, attribute: string): string {
  if (typeof value !== "string") throw new FilterError(`"${attribute}" is compared with a text.`);
  // PostgreSQL stores no such character.
  if (value.includes("\0")) throw new FilterError(`"${attribute}" is compared with a text without U+0000.`);
  return value;
}

function compareText(
  { op, sql, bound }: { readonly op: ComparisonOperator; readonly sql: string; readonly bound: string },
  value: string,
): Condition {
  switch (op) {
    case "eq":
    case "ne":
      return { sql: `${sql} ${equality[op]} ${bound}`, bindings: [value] };
    case "sw":
      return { sql: `starts_with(${sql}, ${bound})`, bindings: [value] };
    case "co":
      return { sql: `strpos(${sql}, ${bound}) > 0`, bindings: [value] };
    case "ew":
      return { sql: `right(${sql}, length(${bound})) = ${bound}`, bindings: [value, value] };
    case "gt":
    case "ge":
    case "lt":
    case "le":
      break;
  }
  return { sql: `${sql} ${order[op]} ${bound}`, bindings: [value] };
}

const uuidText = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is a UUID as this server writes them. */
export function isUuid(text: string): boolean {
  return uuidText.test(text);
}

function compareId(
  { op, sql }: { readonly op: ComparisonOperator; readonly sql: string },
  value: string,
): Condition {
  // By the index. A text that is no UUID is equal to none.
  if (op === "eq")
    return isUuid(value) ? { sql: `${sql} = ?::uuid`, bindings: [value] } : { sql: "false", bindings: [] };
  return compareText({ op, sql: `${sql}::text`, bound: "?" }, value);
}

const momentText = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function compareMoment(
  { op, sql }: { readonly op: ComparisonOperator; readonly sql: string },
  value: string,
): Condition {
  const isMoment = momentText.test(value) && !Number.isNaN(Date.parse(value));
  if (!isMoment || op === "co" || op === "sw" || op === "ew") {
    throw new FilterError("A time is compared as in 2026-11-20T12:00:00Z, by eq, ne, gt, ge, lt and le.");
  }
  const operator = op === "eq" || op === "ne" ? equality[op] : order[op];
  return { sql: `${sql} ${operator} ?::timestamptz`, bindings: [new Date(value).toISOString()] };
}
