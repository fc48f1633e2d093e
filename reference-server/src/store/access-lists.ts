import { liveSql } from "./live-assignment.js";
import { hasWords, type Page, type PageRequest } from "./page.js";
import { type Database, queryRows } from "./postgres/database.js";

/** A person with one or all of some scopes. */
export interface AccessHolder {
  /** `null`: has never signed in with this address. */
  readonly id: string | null;
  readonly email: string;
  readonly name: string | null;
}

/** An assignment that gives a scope to the person with an address. */
export interface AccessReason {
  readonly email: string;
  readonly scope: string;
  readonly assignmentId: string;
  readonly expiresAt: Date | null;
  /** `null`: it names the address. */
  readonly group: {
    readonly key: string;
    readonly provider: { readonly key: string; readonly name: string };
  } | null;
}

/** The person whose permissions are listed. */
export interface AccessQuestion {
  readonly scopes: readonly string[];
  /** Whether one of the scopes is enough, or all of them are needed. */
  readonly match: "any" | "every";
  readonly now: Date;
}

/** The groups of one provider that have a scope. */
interface GivingGroups {
  readonly scope: string;
  readonly providerId: string;
  readonly keys: readonly string[];
}

type Bindings = Record<string, string | number | Date | readonly string[]>;

/** People by their addresses: those that assignments name, and those in groups that assignments name. */
interface Conditions {
  readonly named: readonly string[];
  readonly inGroup: readonly string[];
  readonly bindings: Bindings;
}

/** A query of its own, so that the planner knows how frequent these groups are. */
const givingSql = `
  SELECT a.scope_key AS scope, i.id AS "providerId", array_agg(DISTINCT a.group_key) AS keys
  FROM assignments a
    JOIN group_providers p ON p.id = a.group_provider_id AND p.enabled
    JOIN identity_providers i ON i.id = p.identity_provider_id AND i.enabled
  WHERE a.scope_key = ANY (:scopes) AND ${liveSql("a")} GROUP BY 1, 2`;

/** Of some addresses only, so that its cost is that of a page. Without disabled people, who hold nothing. */
const reasonsSql = `
  SELECT a.email, a.scope_key AS scope, a.id AS "assignmentId", a.expires_at AS "expiresAt", NULL::json AS "group"
  FROM assignments a WHERE a.email = ANY (:emails) AND a.scope_key = ANY (:scopes) AND ${liveSql("a")}
  UNION ALL
  SELECT u.email, a.scope_key, a.id, a.expires_at,
    json_build_object('key', a.group_key, 'provider', json_build_object('key', p.key, 'name', p.name))
  FROM users u
    JOIN user_groups g ON g.user_id = u.id AND g.expires_at > :now
    JOIN identity_providers i ON i.id = g.provider_id AND i.enabled
    JOIN group_providers p ON p.identity_provider_id = i.id AND p.enabled
    JOIN assignments a ON a.group_provider_id = p.id AND a.group_key = ANY (g.groups)
  WHERE u.email = ANY (:emails) AND u.enabled AND a.scope_key = ANY (:scopes) AND ${liveSql("a")}
  ORDER BY 1, 2, 3`;

/** Lists of people with some scopes, as far as the database knows. */
export function createAccessListStore(database: Database) {
  const run = <Row>(text: string, bindings: Bindings) => queryRows<Row>(database, text, bindings);
  const loadGiving = async (scopes: readonly string[]) => await run<GivingGroups>(givingSql, { scopes });

  return {
    async count(question: AccessQuestion): Promise<number> {
      const scopes = [...new Set(question.scopes)];
      if (scopes.length === 0) return 0;
      const { sql, bindings } = everybodySql({ ...question, scopes }, await loadGiving(scopes));
      const [row] = await run<{ count: string }>(`SELECT count(*) FROM (${sql}) AS people`, bindings);
      return Number(row?.count ?? 0);
    },
    /** `q` is looked for in addresses and names. */
    async listPage({
      limit,
      descending,
      after,
      q,
      ...question
    }: PageRequest<"email"> & AccessQuestion): Promise<Page<AccessHolder>> {
      const scopes = [...new Set(question.scopes)];
      if (scopes.length === 0) return { items: [], next: undefined };
      const found = pageSql(
        { ...question, scopes, descending, isNext: after !== undefined, isSearch: hasWords(q) },
        await loadGiving(scopes),
      );
      const rows = await run<AccessHolder>(found.sql, {
        ...found.bindings,
        limit: limit + 1,
        ...(after !== undefined && { after: after.value }),
        ...(hasWords(q) && { words: q }),
      });
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      const isLastPage = rows.length <= limit || last === undefined;
      return { items, next: isLastPage ? undefined : { value: last.email, id: last.email } };
    },
    /** Every assignment that gives one of the scopes to one of these people. */
    async listReasons({
      emails,
      scopes,
      now,
    }: {
      readonly emails: readonly string[];
      readonly scopes: readonly string[];
      readonly now: Date;
    }): Promise<readonly AccessReason[]> {
      if (emails.length === 0 || scopes.length === 0) return [];
      return await run<AccessReason>(reasonsSql, { emails, scopes, now });
    },
  };
}

/** Everyone with all of the scopes, in one pass over the people with any of them. */
function everybodySql(
  { scopes, match, now }: AccessQuestion,
  giving: readonly GivingGroups[],
  onlySql: Partial<Pick<Conditions, "named" | "inGroup">> = {},
): { readonly sql: string; readonly bindings: Bindings } {
  const { named, inGroup, bindings } = holdersOf({ scopes, now }, giving);
  const marks = markScopes(scopes, giving);
  const sql = `SELECT email FROM (
      SELECT a.email, ${marks.named} AS held FROM assignments a LEFT JOIN users u ON u.email = a.email
      WHERE ${[...named, ...(onlySql.named ?? [])].join(" AND ")}
      UNION ALL
      SELECT u.email, ${marks.inGroup} FROM users u JOIN user_groups g ON g.user_id = u.id
      WHERE ${[...inGroup, ...(onlySql.inGroup ?? [])].join(" AND ")}
    ) AS h GROUP BY email ${match === "every" ? `HAVING bit_or(held) = ${marks.all}` : ""}`;
  return { sql, bindings: { ...bindings, ...marks.bindings } };
}

/** One page: `:after`, `:words` and `:limit` are bound by the caller. */
function pageSql(
  page: AccessQuestion & {
    readonly descending: boolean;
    readonly isNext: boolean;
    readonly isSearch: boolean;
  },
  giving: readonly GivingGroups[],
): { readonly sql: string; readonly bindings: Bindings } {
  const { scopes, match, now, descending, isNext, isSearch } = page;
  const order = `ORDER BY 1 ${descending ? "DESC" : "ASC"} LIMIT :limit`;
  const next = (email: string) => (isNext ? [`${email} ${descending ? "<" : ">"} :after`] : []);
  const asked = "search_prefixes(:words)";
  const only = {
    named: [...next("a.email"), ...(isSearch ? [`(a.words @@ ${asked} OR u.words @@ ${asked})`] : [])],
    inGroup: [...next("u.email"), ...(isSearch ? [`u.words @@ ${asked}`] : [])],
  };
  const named = (people: string) =>
    `SELECT h.email, u.id, u.name FROM (${people} ${order}) AS h LEFT JOIN users u ON u.email = h.email ${order}`;
  if (match === "every" && scopes.length > 1) {
    const { sql, bindings } = everybodySql({ scopes, match, now }, giving, only);
    return { sql: named(sql), bindings };
  }
  const { bindings, ...holders } = holdersOf({ scopes, now }, giving);
  // Each half ends with the page, so that a page of very many costs little.
  const halves = `(SELECT DISTINCT a.email FROM assignments a LEFT JOIN users u ON u.email = a.email
      WHERE ${[...holders.named, ...only.named].join(" AND ")} ${order})
    UNION
    (SELECT DISTINCT u.email FROM users u JOIN user_groups g ON g.user_id = u.id
      WHERE ${[...holders.inGroup, ...only.inGroup].join(" AND ")} ${order})`;
  return { sql: named(halves), bindings };
}

/** Who has one of some scopes. A disabled person has nothing. */
function holdersOf(
  { scopes, now }: Pick<AccessQuestion, "scopes" | "now">,
  giving: readonly GivingGroups[],
): Conditions {
  const groups = groupsOf(giving, { of: scopes, prefix: "any" });
  return {
    named: ["a.scope_key = ANY (:scopes)", "a.email IS NOT NULL", liveSql("a"), "coalesce(u.enabled, true)"],
    inGroup: ["u.enabled", "u.email IS NOT NULL", "g.expires_at > :now", groups.sql],
    bindings: { scopes, now, ...groups.bindings },
  };
}

/** The scopes that a person has, one bit each. */
function markScopes(scopes: readonly string[], giving: readonly GivingGroups[]) {
  const none = "0".repeat(scopes.length);
  const marks = scopes.map((scope, index) => {
    const bit = `B'${none.slice(0, index)}1${none.slice(index + 1)}'`;
    const groups = groupsOf(giving, { of: [scope], prefix: `mark${index}` });
    return {
      named: `WHEN :mark${index} THEN ${bit}`,
      inGroup: `CASE WHEN ${groups.sql} THEN ${bit} ELSE B'${none}' END`,
      bindings: { ...groups.bindings, [`mark${index}`]: scope },
    };
  });
  return {
    named: `CASE a.scope_key ${marks.map(({ named }) => named).join(" ")} END`,
    inGroup: marks.map(({ inGroup }) => inGroup).join(" | "),
    all: `B'${"1".repeat(scopes.length)}'`,
    bindings: Object.assign({}, ...marks.map(({ bindings }) => bindings)) as Bindings,
  };
}

/** Whether a person is in a group with one of some scopes. */
function groupsOf(
  giving: readonly GivingGroups[],
  { of, prefix }: { readonly of: readonly string[]; readonly prefix: string },
): { readonly sql: string; readonly bindings: Bindings } {
  const byProvider = new Map<string, Set<string>>();
  for (const { scope, providerId, keys } of giving) {
    if (!of.includes(scope)) continue;
    byProvider.set(providerId, new Set([...(byProvider.get(providerId) ?? []), ...keys]));
  }
  const bindings: Bindings = {};
  const parts = [...byProvider].map(([providerId, keys], index) => {
    bindings[`${prefix}Provider${index}`] = providerId;
    bindings[`${prefix}Groups${index}`] = [...keys];
    return `(g.provider_id = :${prefix}Provider${index} AND g.groups && :${prefix}Groups${index}::text[])`;
  });
  return { sql: parts.length === 0 ? "false" : `(${parts.join(" OR ")})`, bindings };
}
