import { administerScope, loginScope } from "../system-scopes.js";
import type { InstallationCountStore, InstallationCounts } from "../installation-counts.js";
import type { Database } from "./database.js";

const countSql = `
  SELECT
    (SELECT count(*)::integer FROM users WHERE enabled) AS people,
    (SELECT count(*)::integer FROM resources) AS resources,
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
      count(*) FILTER (WHERE scope_key NOT IN (:login, :administer))::integer AS "ordinaryAssignments",
      count(*) FILTER (WHERE scope_key = :login)::integer AS "logInAssignments",
      count(*) FILTER (WHERE scope_key = :administer)::integer AS "administratorAssignments"
    FROM assignments
  ) AS a`;

export function createInstallationCountStore(database: Database): InstallationCountStore {
  return {
    async count() {
      const { rows } = await database.raw<{ rows: InstallationCounts[] }>(countSql, {
        login: loginScope,
        administer: administerScope,
      });
      const [row] = rows;
      if (row === undefined) throw new Error("A count without a row.");
      return row;
    },
  };
}
