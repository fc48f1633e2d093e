import { liveSql } from "./live-assignment.js";
import { type Database, queryRows } from "./postgres/database.js";

/** A person who has a scope now, as far as the database knows. */
export interface PermissionHolder {
  readonly scope: string;
  /** Lower case. The person may never have signed in. */
  readonly email: string;
  /** When the last of the assignments ends; `null`: one does not end. */
  readonly until: Date | null;
}

/** A directory's group with a scope. Its size is unknown. */
export interface UncountedGroup {
  readonly scope: string;
  readonly provider: string;
  readonly key: string;
  readonly name: string;
  readonly until: Date | null;
}

/** `:scopes` and `:now`. A disabled person has no permissions. */
const holdersSql = `
  SELECT scope, email, nullif(max(coalesce(expires_at, 'infinity')), 'infinity') AS until
  FROM (${holdersWhere("true")}) AS h`;

function holdersWhere(condition: string): string {
  return `
  SELECT a.scope_key AS scope, a.email, a.expires_at
  FROM assignments a LEFT JOIN users u ON u.email = a.email
  WHERE a.scope_key = ANY (:scopes) AND a.email IS NOT NULL AND ${liveSql("a")} AND ${condition} AND coalesce(u.enabled, true)
  UNION ALL
  SELECT a.scope_key, u.email, a.expires_at
  FROM assignments a
    JOIN group_providers p ON p.id = a.group_provider_id AND p.enabled
    JOIN identity_providers i ON i.id = p.identity_provider_id AND i.enabled
    JOIN user_groups g ON g.provider_id = i.id AND g.expires_at > :now
      -- The same twice: the index of groups finds a group's people, the index of assignments a person's groups.
      AND g.groups @> ARRAY[a.group_key] AND a.group_key = ANY (g.groups)
    JOIN users u ON u.id = g.user_id AND u.enabled AND u.email IS NOT NULL
  WHERE a.scope_key = ANY (:scopes) AND ${liveSql("a")} AND ${condition}`;
}

/** A known person needs an enabled provider of their own; an address, one that would accept it. */
const someoneSql = `
  SELECT EXISTS (
    SELECT FROM (${holdersWhere("(NOT :forGood OR a.expires_at IS NULL)")}) AS h
    WHERE EXISTS (
      SELECT FROM identity_providers i
      WHERE i.enabled AND (
        cardinality(i.allowed_email_domains) = 0 OR split_part(h.email, '@', 2) = ANY (i.allowed_email_domains)
      )
    )
  ) AS found`;

export function createPermissionHolderStore(database: Database) {
  return {
    /**
     * People with one of these scopes, by address or by a group from an identity provider.
     *
     * @param emails - only these addresses; all when absent
     */
    async list(
      scopes: readonly string[],
      now: Date,
      emails?: readonly string[],
    ): Promise<readonly PermissionHolder[]> {
      const everybody = emails === undefined;
      const rows = await queryRows<PermissionHolder>(
        database,
        `${holdersSql} ${everybody ? "" : "WHERE email = ANY (:emails)"} GROUP BY scope, email`,
        { scopes: [...scopes], now, ...(!everybody && { emails: [...emails] }) },
      );
      return rows;
    },
    /** The groups of enabled directories that have one of these scopes. */
    async listUncountedGroups(scopes: readonly string[]): Promise<readonly UncountedGroup[]> {
      return await database("assignments AS a")
        .join("group_providers AS p", "p.id", "a.group_provider_id")
        .where({ "p.type": "directory", "p.enabled": true })
        .whereIn("a.scope_key", [...scopes])
        .whereRaw(liveSql("a"))
        .orderBy(["a.scope_key", "p.key", "a.group_key"])
        .select<UncountedGroup[]>({
          scope: "a.scope_key",
          provider: "p.key",
          key: "a.group_key",
          name: "p.name",
          until: "a.expires_at",
        });
    },
    /**
     * Whether a person who can sign in has a scope: an enabled one, or an address that an enabled provider accepts.
     * `forGood`: by an assignment that does not end.
     */
    async someoneHas(scope: string, now: Date, { forGood = false } = {}): Promise<boolean> {
      const rows = await queryRows<{ found: boolean }>(database, someoneSql, {
        scopes: [scope],
        now,
        forGood,
      });
      return rows[0]?.found === true;
    },
  };
}
