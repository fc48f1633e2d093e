import { liveSql } from "./live-assignment.js";
import { type Database, prepared } from "./postgres/database.js";

/** Who decides for a service or connector: a person by address, or the members of a group. */
export interface Owner {
  /** Lower case; `null`: a group. */
  readonly email: string | null;
  /** With the key of its group provider; `null`: a person. */
  readonly group: { readonly provider: string; readonly key: string } | null;
}

/** What can have owners. */
export interface OwnedObject {
  readonly kind: "service" | "connector";
  readonly id: string;
}

/** What a person decides for. */
export interface Owned {
  /** `resource` is the identifier of the service. */
  readonly services: readonly { readonly id: string; readonly key: string; readonly resource: string }[];
  readonly connectors: readonly { readonly id: string; readonly key: string }[];
  /** The scopes that these know, without those of this server. */
  readonly scopes: readonly string[];
  /** Those of them that no other service or connector knows. */
  readonly decidable: readonly string[];
}

interface OwnedRow extends Owned {
  readonly directories: readonly string[];
}

/** A group that gives its members a role: by an assignment of a scope, or as an owner. */
export interface RoleGroup {
  readonly providerId: string;
  readonly type: string;
  readonly key: string;
}

/** Groups that a person is in, according to a directory. */
export interface DirectoryMembership {
  readonly providerId: string;
  readonly keys: readonly string[];
}

/** The owners of a row as JSON, in one order. */
export function ownersSql(column: "resource_id" | "connector_id", id: string): string {
  return `(SELECT coalesce(json_agg(json_build_object('email', o.email, 'group', CASE WHEN o.group_key IS NOT NULL THEN
      json_build_object('provider', p.key, 'key', o.group_key) END) ORDER BY o.email, p.key, o.group_key), '[]')
    FROM owners o LEFT JOIN group_providers p ON p.id = o.group_provider_id WHERE o.${column} = ${id})`;
}

const claimedSql = `user_groups ug
  JOIN identity_providers i ON i.id = ug.provider_id AND i.enabled
  JOIN group_providers p ON p.identity_provider_id = i.id AND p.enabled`;

const ownedSql = `
  WITH owned AS MATERIALIZED (
    SELECT o.resource_id, o.connector_id FROM owners o WHERE o.email = $2
    UNION SELECT o.resource_id, o.connector_id
    FROM ${claimedSql} JOIN owners o ON o.group_provider_id = p.id AND o.group_key = ANY (ug.groups)
    WHERE ug.user_id = $1 AND ug.expires_at > now()
    UNION SELECT o.resource_id, o.connector_id
    FROM unnest($3::uuid[], $4::text[]) AS m (provider_id, key)
      JOIN group_providers p ON p.id = m.provider_id AND p.enabled
      JOIN owners o ON o.group_provider_id = p.id AND o.group_key = m.key
  ), known AS MATERIALIZED (
    SELECT l.scope_key FROM resource_scopes l JOIN owned USING (resource_id)
    UNION SELECT l.scope_key FROM connector_scopes l JOIN owned USING (connector_id)
  ), scope AS MATERIALIZED (
    SELECT s.key, NOT EXISTS (
      SELECT FROM resource_scopes l WHERE l.scope_key = s.key
        AND NOT EXISTS (SELECT FROM owned WHERE owned.resource_id = l.resource_id)
      UNION ALL SELECT FROM connector_scopes l WHERE l.scope_key = s.key
        AND NOT EXISTS (SELECT FROM owned WHERE owned.connector_id = l.connector_id)
    ) AS decidable
    FROM scopes s JOIN known ON known.scope_key = s.key WHERE NOT s.system
  )
  SELECT
    (SELECT coalesce(json_agg(json_build_object('id', r.id, 'key', r.key, 'resource', r.resource) ORDER BY r.key), '[]')
      FROM resources r WHERE r.id IN (SELECT resource_id FROM owned)) AS services,
    (SELECT coalesce(json_agg(json_build_object('id', c.id, 'key', c.key) ORDER BY c.key), '[]')
      FROM connectors c WHERE c.id IN (SELECT connector_id FROM owned)) AS connectors,
    ARRAY(SELECT key FROM scope ORDER BY key) AS scopes,
    ARRAY(SELECT key FROM scope WHERE decidable ORDER BY key) AS decidable,
    ARRAY(SELECT p.id FROM group_providers p WHERE p.type = 'directory' AND p.enabled
      AND EXISTS (SELECT FROM owners o WHERE o.group_provider_id = p.id)) AS directories`;

/**
 * Whoever may have a role, expired claims and disabled providers included: they may count again at the next sign-in. So may groups that a
 * provider did not name.
 */
const roleHoldersSql = `
  SELECT u.id FROM users u WHERE u.id = ANY ($1::uuid[]) AND (
    EXISTS (SELECT FROM assignments a WHERE a.email = u.email AND a.scope_key = ANY ($2::text[]) AND ${liveSql("a")})
    OR EXISTS (SELECT FROM owners o WHERE o.email = u.email)
    OR EXISTS (
      SELECT FROM user_groups ug JOIN group_providers p ON p.identity_provider_id = ug.provider_id
      WHERE ug.user_id = u.id AND (
        EXISTS (SELECT FROM assignments a WHERE a.group_provider_id = p.id
          AND (ug.unavailable OR a.group_key = ANY (ug.groups)) AND a.scope_key = ANY ($2::text[]) AND ${liveSql("a")})
        OR EXISTS (SELECT FROM owners o WHERE o.group_provider_id = p.id
          AND (ug.unavailable OR o.group_key = ANY (ug.groups))))))`;

const roleGroupsSql = `
  SELECT DISTINCT p.id AS "providerId", p.type, g.key FROM (
    SELECT a.group_provider_id, a.group_key AS key FROM assignments a
    WHERE a.group_key IS NOT NULL AND a.scope_key = ANY ($1::text[]) AND ${liveSql("a")}
    UNION SELECT o.group_provider_id, o.group_key FROM owners o WHERE o.group_key IS NOT NULL
  ) AS g JOIN group_providers p ON p.id = g.group_provider_id`;

/** People who own an object by address, or by a group that a sign-in named. */
const peopleSql = (column: "resource_id" | "connector_id", table: "resources" | "connectors") => `
  SELECT DISTINCT owner.email FROM (
    SELECT o.email FROM owners o JOIN ${table} t ON t.id = o.${column}
    WHERE t.key = $1 AND o.email IS NOT NULL
      AND NOT EXISTS (SELECT FROM users u WHERE u.email = o.email AND NOT u.enabled)
    UNION SELECT u.email
    FROM ${claimedSql} JOIN owners o ON o.group_provider_id = p.id AND o.group_key = ANY (ug.groups)
      JOIN ${table} t ON t.id = o.${column} JOIN users u ON u.id = ug.user_id AND u.enabled AND u.email IS NOT NULL
    WHERE t.key = $1 AND ug.expires_at > now()
  ) AS owner ORDER BY owner.email LIMIT $2`;

const peopleOf = {
  service: { name: "owners_of_service", text: peopleSql("resource_id", "resources") },
  connector: { name: "owners_of_connector", text: peopleSql("connector_id", "connectors") },
} as const;

const sharedSql = `
  SELECT EXISTS (SELECT FROM scopes s WHERE s.key = ANY ($3::text[]) AND (s.system
    OR EXISTS (SELECT FROM resource_scopes l JOIN resources r ON r.id = l.resource_id
      WHERE l.scope_key = s.key AND NOT ($1 = 'service' AND r.key = $2))
    OR EXISTS (SELECT FROM connector_scopes l JOIN connectors c ON c.id = l.connector_id
      WHERE l.scope_key = s.key AND NOT ($1 = 'connector' AND c.key = $2)))) AS shared`;

const insertSql = (column: "resource_id" | "connector_id") => `
  INSERT INTO owners (${column}, email, group_provider_id, group_key)
  SELECT ?, w.email, p.id, w."group"->>'key'
  FROM jsonb_to_recordset(?::jsonb) AS w (email text, "group" jsonb)
    LEFT JOIN group_providers p ON p.key = w."group"->>'provider'
  ON CONFLICT DO NOTHING`;

export function createOwnerStore(database: Database) {
  return {
    /** Makes these the owners of an object. */
    async save({ kind, id }: OwnedObject, owners: readonly Owner[]): Promise<void> {
      const column = kind === "service" ? "resource_id" : "connector_id";
      await database("owners")
        .where({ [column]: id })
        .delete();
      if (owners.length > 0) await database.raw(insertSql(column), [id, JSON.stringify(owners)]);
    },
    /** What a person owns: by address, by groups that their sign-ins named, and by these groups of directories. */
    async findOwned(
      { userId, email }: { readonly userId: string; readonly email: string | null },
      memberships: readonly DirectoryMembership[] = [],
    ): Promise<OwnedRow> {
      const providerIds = memberships.flatMap(({ providerId, keys }) => keys.map(() => providerId));
      const values = [userId, email, providerIds, memberships.flatMap(({ keys }) => keys)];
      const [row] = await prepared<OwnedRow>(database, { name: "owned_by", text: ownedSql, values });
      if (row === undefined) throw new Error("A statement of one row has none.");
      return row;
    },
    /** Who of these people has one of the scopes or owns something, as far as the database knows. */
    async findRoleHolders(
      userIds: readonly string[],
      scopes: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const statement = { name: "role_holders", text: roleHoldersSql, values: [userIds, scopes] };
      const rows = await prepared<{ id: string }>(database, statement);
      return new Set(rows.map(({ id }) => id));
    },
    /** The groups that have one of the scopes or own something. */
    listRoleGroups: (scopes: readonly string[]): Promise<readonly RoleGroup[]> =>
      prepared(database, { name: "role_groups", text: roleGroupsSql, values: [scopes] }),
    /** The addresses of an object's owners who can sign in, as far as the database knows. */
    async listPeople(
      { kind, key }: { readonly kind: OwnedObject["kind"]; readonly key: string },
      limit: number,
    ): Promise<readonly string[]> {
      const statement = { ...peopleOf[kind], values: [key, limit] };
      const rows = await prepared<{ email: string }>(database, statement);
      return rows.map(({ email }) => email);
    },
    /** Whether one of these scopes is known elsewhere as well, so that an owner of this object alone cannot give it. */
    async areShared(
      { kind, key }: { readonly kind: OwnedObject["kind"]; readonly key: string },
      scopes: readonly string[],
    ): Promise<boolean> {
      const statement = { name: "owners_shared_scopes", text: sharedSql, values: [kind, key, scopes] };
      const [row] = await prepared<{ shared: boolean }>(database, statement);
      return row?.shared ?? true;
    },
    /** How many objects groups of a provider own. */
    async countOfProvider(id: string): Promise<number> {
      const [row] = await database("owners")
        .where({ group_provider_id: id })
        .count<{ count: string }[]>({ count: "*" });
      return Number(row?.count);
    },
  };
}
