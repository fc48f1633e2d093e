// What stops mean for a statement, as SQL over its columns or parameters. The table is usually empty.

/** Whether a stop applies to what began at a time, as SQL over columns or parameters. */
export const isStoppedSql = (user: string, client: string, resource: string, began: string): string =>
  `EXISTS (SELECT FROM applicable_stops(${user}, ${client}, ${resource}, ${began}))`;

const ofGrant = (grant: string): readonly [string, string, string, string] => [
  `${grant}.user_id`,
  `${grant}.client_id`,
  `${grant}.resource_id`,
  `${grant}.created_at`,
];

/** Whether a stop has ended a grant: one that is set, or one that was lifted after the grant began. */
const isGrantStoppedSql = (grant: string): string => isStoppedSql(...ofGrant(grant));

/** When the first stop has ended a grant, as a row of its own: `null` when none has. */
export const firstStopSql = (grant: string): string =>
  `(SELECT min(s.not_before) AS ended_at FROM applicable_stops(${ofGrant(grant).join(", ")}) AS s)`;

/** Whether a grant lives: nothing has ended it. */
export const isGrantLiveSql = (grant: string, now: string): string =>
  `${grant}.revoked_at IS NULL AND ${grant}.expires_at > ${now} AND NOT ${isGrantStoppedSql(grant)}`;

/** The same for a grant that a client uses at a service: each use begins anew. */
export const isUseStoppedSql = (grant: string, client: string, service: string): string =>
  `(${isGrantStoppedSql(grant)} OR ${isStoppedSql(`${grant}.user_id`, client, service, "now()")})`;

/**
 * What stops mean for a grant that a client uses at a service. `true`: one is set. `false`: the grant began before one that was lifted, so it has
 * ended. `null`: nothing.
 */
export const useStopSql = (grant: string, client: string, service: string): string =>
  `(SELECT bool_or(s.stopped) FROM (
    SELECT stopped FROM applicable_stops(${ofGrant(grant).join(", ")})
    UNION ALL SELECT stopped FROM applicable_stops(${grant}.user_id, ${client}, ${service}, now())) AS s)`;
