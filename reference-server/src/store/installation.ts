import { liveSql } from "./live-assignment.js";
import { type Database, queryRows } from "./postgres/database.js";
import { administerScope, agentsScope, loginScope } from "./system-scopes.js";

/**
 * The state of the installation: `empty` until a person can sign in, `incomplete` until one may administer,
 * then `installed` for good.
 */
type InstallationState = "empty" | "incomplete" | "installed";

/** Totals for the console. */
export interface InstallationCounts {
  /** Enabled people who have signed in. */
  readonly people: number;
  readonly resources: number;
  readonly scopes: number;
  readonly assignments: number;
  /** Assignments of anything but the server's own scopes. */
  readonly ordinaryAssignments: number;
  /** Assignments of authz:login, which the command-line client requires. */
  readonly loginAssignments: number;
  /** Assignments of the administration. */
  readonly administratorAssignments: number;
  /** Enabled ones. */
  readonly identityProviders: number;
  readonly ownSkills: number;
  /** Enabled ones at which more accounts have to be connected again than are connected. */
  readonly failingConnectors: number;
}

const hasProvider = "EXISTS (SELECT FROM identity_providers WHERE enabled)";

const hasAdministrator = "EXISTS (SELECT FROM assignments WHERE scope_key = 'authz:administer')";

const stateSql = `
  SELECT CASE
    WHEN installed_at IS NOT NULL OR (${hasProvider} AND ${hasAdministrator}) THEN 'installed'
    WHEN ${hasProvider} THEN 'incomplete'
    ELSE 'empty'
  END AS state FROM settings`;

const countSql = `
  SELECT
    (SELECT count(*)::integer FROM users WHERE enabled) AS people,
    (SELECT count(*)::integer FROM resources WHERE NOT built_in) AS resources,
    (SELECT count(*)::integer FROM scopes) AS scopes,
    (SELECT count(*)::integer FROM identity_providers WHERE enabled) AS "identityProviders",
    (SELECT count(*)::integer FROM skills) AS "ownSkills",
    (SELECT count(*)::integer FROM (
      SELECT n.connector_id FROM connections n JOIN connectors c ON c.id = n.connector_id
      WHERE c.enabled GROUP BY n.connector_id
      HAVING count(*) FILTER (WHERE n.state = 'reconnect_required') > count(*) FILTER (WHERE n.state = 'connected')
    ) AS f) AS "failingConnectors",
    a.*
  FROM (
    SELECT count(*)::integer AS assignments,
      count(*) FILTER (WHERE scope_key NOT IN (:login, :agents, :administer))::integer AS "ordinaryAssignments",
      count(*) FILTER (WHERE scope_key = :login)::integer AS "loginAssignments",
      count(*) FILTER (WHERE scope_key = :administer)::integer AS "administratorAssignments"
    FROM assignments e WHERE ${liveSql("e")}
  ) AS a`;

export function createInstallationStore(database: Database) {
  const mark = async (at: Date, condition: string): Promise<boolean> => {
    const changed = await database("settings")
      .whereNull("installed_at")
      .whereRaw(condition)
      .update({ installed_at: at });
    return changed > 0;
  };

  return {
    async state(): Promise<InstallationState> {
      const [row] = await queryRows<{ state: InstallationState }>(database, stateSql);
      return row?.state ?? "empty";
    },
    /** Marks the installation as complete, and returns whether this call is the one that did. The others wait for it. */
    complete: (at: Date): Promise<boolean> => mark(at, `NOT (${hasProvider} AND ${hasAdministrator})`),
    /** The same for an installation that has a provider and an administrator already. */
    completeIfConfigured: (at: Date): Promise<boolean> => mark(at, `${hasProvider} AND ${hasAdministrator}`),
    async count(): Promise<InstallationCounts> {
      const { rows } = await database.raw<{ rows: InstallationCounts[] }>(countSql, {
        login: loginScope,
        agents: agentsScope,
        administer: administerScope,
      });
      const [row] = rows;
      if (row === undefined) throw new Error("A count without a row.");
      return row;
    },
  };
}
