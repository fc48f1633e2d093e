import { liveSql } from "./live-assignment.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereContains } from "./page.js";
import { holdersSql } from "./permission-holders.js";
import type { Database } from "./postgres/database.js";

/** Somebody who has one or all of some scopes. */
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

/** Whose permissions are asked about. */
export interface AccessQuestion {
  readonly scopes: readonly string[];
  /** Whether one of the scopes is enough, or all of them are needed. */
  readonly match: "any" | "every";
  readonly now: Date;
}

const pageColumns: PageColumns<"email"> = {
  id: { sql: "h.email", type: "text" },
  sorts: { email: { sql: "h.email", type: "text" } },
};

/** Every holder of each scope is there once. */
const everySql = `(
  SELECT email FROM (${holdersSql}) AS held GROUP BY email HAVING count(*) = cardinality(:scopes::text[])) AS h`;

/**
 * Each person is looked at once, however many of the scopes and of the groups they have: a company where everybody has ten
 * scopes by one group costs what one scope costs.
 */
const anySql = `(
  SELECT a.email FROM assignments a LEFT JOIN users u ON u.email = a.email
  WHERE a.scope_key = ANY (:scopes) AND a.email IS NOT NULL AND ${liveSql("a")} AND coalesce(u.enabled, true)
  UNION
  SELECT u.email
  FROM (
    SELECT i.id, array_agg(DISTINCT a.group_key) AS keys
    FROM assignments a
      JOIN group_providers p ON p.id = a.group_provider_id AND p.enabled
      JOIN identity_providers i ON i.id = p.identity_provider_id AND i.enabled
    WHERE a.scope_key = ANY (:scopes) AND ${liveSql("a")} GROUP BY i.id
  ) AS giving
    JOIN user_groups g ON g.provider_id = giving.id AND g.groups && giving.keys AND g.expires_at > :now
    JOIN users u ON u.id = g.user_id AND u.enabled AND u.email IS NOT NULL
) AS h`;

/** Of some addresses only, so that its cost is that of a page. Disabled people are not asked about: they hold nothing. */
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

/** Lists of the people who have some scopes, as far as the database can say. */
export function createAccessListStore(database: Database) {
  const holders = ({ scopes, match, now }: AccessQuestion) =>
    database.raw(match === "every" ? everySql : anySql, { scopes: [...new Set(scopes)], now });

  return {
    async count(question: AccessQuestion): Promise<number> {
      const row = await database.from(holders(question)).count<{ count: string }[]>({ count: "*" }).first();
      return Number(row?.count ?? 0);
    },
    /** `q` is looked for in addresses and names. */
    async listPage({
      scopes,
      match,
      now,
      ...request
    }: PageRequest<"email"> & AccessQuestion): Promise<Page<AccessHolder>> {
      const query = database
        .from(holders({ scopes, match, now }))
        .leftJoin("users AS u", "u.email", "h.email")
        .select({ id: "u.id", email: "h.email", name: "u.name" });
      whereContains(query, "concat_ws(' ', h.email, u.name)", request.q);
      return await selectPage<AccessHolder, "email">(query, { columns: pageColumns, request });
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
      const { rows } = await database.raw<{ rows: AccessReason[] }>(reasonsSql, {
        emails: [...emails],
        scopes: [...scopes],
        now,
      });
      return rows;
    },
  };
}
