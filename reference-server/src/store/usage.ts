import { dayMs } from "../platform/durations.js";
import { where } from "./audit-events.js";
import { type Database, queryRows } from "./postgres/database.js";

/** The target of a use: a registered service, a connector, or neither. */
export interface UsageTarget {
  readonly kind: "service" | "connector" | "none";
  /** Empty where `kind` is `none`. */
  readonly key: string;
}

/** How often something happened. */
export interface UsageNumbers {
  /** Tokens and identity assertions. */
  readonly issued: number;
  /** Requests that went to the service through this server, those that failed among them. */
  readonly called: number;
  readonly denied: number;
  readonly failed: number;
}

/** Uses by one app for one person at one target in one hour. */
export interface UsageRow extends UsageTarget, UsageNumbers {
  readonly hour: Date;
  /** Empty: no app. */
  readonly clientId: string;
  /** Empty: no person. */
  readonly userId: string;
  /** When a call was last answered, and when one last got no answer or a server error. */
  readonly answeredAt: string | null;
  readonly failedAt: string | null;
}

/** Refusals to one person through one app in one hour, for one reason. */
export interface DenialRow extends UsageTarget {
  readonly hour: Date;
  readonly clientId: string;
  readonly userId: string;
  /** Empty: no permission was requested. */
  readonly scope: string;
  readonly reason: string;
  readonly count: number;
  readonly lastAt: string;
}

/** The hours or the days from a moment on. */
export interface UsageWindow {
  readonly unit: "hour" | "day";
  readonly from: Date;
}

/** The conditions of a query; all must hold. */
export interface UsageFilter {
  readonly clientId?: string | undefined;
  readonly userId?: string | undefined;
  readonly target?: UsageTarget | undefined;
  /** Only at these; at all when absent. */
  readonly within?: readonly UsageTarget[] | undefined;
}

/** One line of a list of the most used, and how many lines there are altogether. */
export type UsageRank<Of> = Of & UsageNumbers & { readonly total: number };

/** Refusals of one permission to one person at one service. */
export interface Denial extends UsageTarget {
  readonly userId: string;
  readonly scope: string;
  readonly count: number;
  readonly lastAt: Date;
  /** Of the last one. */
  readonly clientId: string;
  readonly reason: string;
}

/** Whether a service or a connector answers, as far as is known. */
export interface TargetHealth {
  readonly kind: "service" | "connector";
  readonly key: string;
  /** The last attempt to fetch its skills; `null` when it publishes none. */
  readonly attemptedAt: Date | null;
  readonly fetchedAt: Date | null;
  readonly failure: string | null;
  /** Calls of the last two days that went through this server. */
  readonly answeredAt: Date | null;
  readonly failedAt: Date | null;
}

/** The column that lists are by; each has an index that begins with it. */
const ranked = {
  client: { columns: `client_id AS "clientId"`, group: "client_id" },
  resource: { columns: "kind, key", group: "kind, key" },
  user: { columns: `user_id AS "userId"`, group: "user_id" },
} as const;

export interface RankedBy {
  readonly client: { readonly clientId: string };
  readonly resource: UsageTarget;
  readonly user: { readonly userId: string };
}

const sums = ["issued", "called", "denied", "failed"]
  .map((name) => `coalesce(sum(${name}), 0)::float8 AS ${name}`)
  .join(", ");

const rowsBy = (
  units: string,
) => `jsonb_to_recordset(?::jsonb) AS new (hour timestamptz, "userId" text, "clientId" text, kind text, key text,
    issued bigint, called bigint, denied bigint, failed bigint, "answeredAt" timestamptz, "failedAt" timestamptz)
  CROSS JOIN (VALUES ${units}) AS units (unit)`;

const newRows = rowsBy("('hour'), ('day')");

const addUp = (table: string) =>
  ["issued", "called", "denied", "failed"]
    .map((name) => `${name} = ${table}.${name} + excluded.${name}`)
    .join(", ");

const addCountsSql = `
  INSERT INTO usage_counts
    (unit, at, client_id, kind, key, issued, called, denied, failed, last_answered_at, last_failed_at)
  SELECT unit, date_trunc(unit, hour, 'UTC'), "clientId", kind, key, sum(issued), sum(called), sum(denied), sum(failed),
    max("answeredAt"), max("failedAt")
  FROM ${newRows} GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (unit, at, client_id, kind, key) DO UPDATE SET ${addUp("usage_counts")},
    last_answered_at = greatest(usage_counts.last_answered_at, excluded.last_answered_at),
    last_failed_at = greatest(usage_counts.last_failed_at, excluded.last_failed_at)`;

const addPeopleSql = `
  INSERT INTO usage_people (unit, at, user_id, client_id, kind, key, issued, called, denied, failed)
  SELECT unit, date_trunc(unit, hour, 'UTC'), "userId", "clientId", kind, key,
    sum(issued), sum(called), sum(denied), sum(failed)
  FROM ${newRows} WHERE "userId" <> '' GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (unit, at, user_id, client_id, kind, key) DO UPDATE SET ${addUp("usage_people")}`;

const addPersonSumsSql = `
  INSERT INTO usage_person_sums (unit, at, user_id, issued, called, denied, failed)
  SELECT units.unit, date_trunc(units.unit, hour, 'UTC'), "userId", sum(issued), sum(called), sum(denied), sum(failed)
  FROM ${rowsBy("('hour'), ('day'), ('week')")} WHERE "userId" <> '' GROUP BY 1, 2, 3
  ON CONFLICT (unit, at, user_id) DO UPDATE SET ${addUp("usage_person_sums")}`;

const addDenialsSql = `
  INSERT INTO usage_denials (unit, at, user_id, client_id, kind, key, scope, reason, count, last_at)
  SELECT unit, date_trunc(unit, hour, 'UTC'), "userId", "clientId", kind, key, scope, reason, sum(count), max("lastAt")
  FROM jsonb_to_recordset(?::jsonb) AS new (hour timestamptz, "userId" text, "clientId" text, kind text, key text, scope text,
      reason text, count bigint, "lastAt" timestamptz)
    CROSS JOIN (VALUES ('hour'), ('day')) AS units (unit)
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ON CONFLICT (unit, at, user_id, client_id, kind, key, scope, reason) DO UPDATE
    SET count = usage_denials.count + excluded.count, last_at = greatest(usage_denials.last_at, excluded.last_at)`;

const targetsSql = `
  SELECT 'service' AS kind, key, resource, name FROM resources WHERE resource = ANY (?) OR key = ANY (?)
  UNION ALL SELECT 'connector', key, NULL, name FROM connectors WHERE key = ANY (?)`;

const healthSql = `
  SELECT target.*, called."answeredAt", called."failedAt" FROM (
    SELECT 'service' AS kind, key, attempted_at AS "attemptedAt", fetched_at AS "fetchedAt", failure
    FROM resources r LEFT JOIN skill_catalogs c ON c.resource_id = r.id AND r.skill_discovery WHERE enabled
    UNION ALL SELECT 'connector', key, NULL, NULL, NULL FROM connectors WHERE enabled
  ) AS target CROSS JOIN LATERAL (
    SELECT max(last_answered_at) AS "answeredAt", max(last_failed_at) AS "failedAt" FROM usage_counts u
    WHERE u.kind = target.kind AND u.key = target.key AND u.unit = 'hour'
  ) AS called`;

const topSkillsSql = `
  SELECT skill_id AS "skillId", sum(count)::float8 AS count, (count(*) OVER ())::float8 AS total
  FROM skill_reads WHERE hour >= ? AND (?::text[] IS NULL OR split_part(skill_id, '.', 1) = ANY (?::text[]))
  GROUP BY skill_id ORDER BY 2 DESC, 1 LIMIT ?`;

const topPeople = (parts: string) => `
  SELECT user_id AS "userId", ${sums}, (count(*) OVER ())::float8 AS total
  FROM (${parts}) AS people GROUP BY user_id
  ORDER BY sum(issued) + sum(called) DESC, sum(denied) DESC, user_id LIMIT ?`;

const topPeopleOfHoursSql = topPeople("SELECT * FROM usage_person_sums WHERE unit = 'hour' AND at >= ?");

/** Whole weeks, and the days before the first of them: a fifth of the rows that 90 days have. */
const topPeopleOfDaysSql = topPeople(`
  SELECT * FROM usage_person_sums WHERE unit = 'week' AND at >= ?
  UNION ALL SELECT * FROM usage_person_sums WHERE unit = 'day' AND at >= ? AND at < ?`);

const skillSeriesSql = `
  SELECT date_trunc(?, hour, 'UTC') AS at, sum(count)::float8 AS count FROM skill_reads
  WHERE hour >= ? AND skill_id = ? GROUP BY 1 ORDER BY 1`;

export function createUsageStore(database: Database) {
  const run = <Row>(text: string, values: readonly unknown[]) => queryRows<Row>(database, text, values);

  return {
    /** Adds the counts of some events. Call it inside the transaction that stores the progress of counting. */
    async add(rows: readonly UsageRow[], denials: readonly DenialRow[]): Promise<void> {
      if (rows.length > 0) {
        const json = JSON.stringify(rows);
        await run(addCountsSql, [json]);
        await run(addPeopleSql, [json]);
        await run(addPersonSumsSql, [json]);
      }
      if (denials.length > 0) await run(addDenialsSql, [JSON.stringify(denials)]);
    },
    /** The services with these identifiers or keys, and the connectors with these keys, by their names of today. */
    findTargets: ({
      resources,
      connectors,
    }: {
      readonly resources: readonly string[];
      readonly connectors: readonly string[];
    }): Promise<
      readonly {
        readonly kind: "service" | "connector";
        readonly key: string;
        /** The identifier of a service. */
        readonly resource: string | null;
        readonly name: string;
      }[]
    > => run(targetsSql, [[...resources], [...resources], [...connectors]]),
    /** The hours or days in which something happened, oldest first. */
    series(
      window: UsageWindow,
      filter: UsageFilter,
    ): Promise<readonly (UsageNumbers & { readonly at: Date })[]> {
      const { text, values } = conditions(window, filter);
      return run(`SELECT at, ${sums} FROM ${tableFor(filter)} ${text} GROUP BY at ORDER BY at`, values);
    },
    /** The most used first, then those with refusals only. */
    top<By extends keyof RankedBy>(
      by: By,
      { limit, ...window }: UsageWindow & { readonly limit: number },
      filter: UsageFilter,
    ): Promise<readonly UsageRank<RankedBy[By]>[]> {
      const { columns, group } = ranked[by];
      if (by === "user" && Object.values(filter).every((value) => value === undefined)) {
        const { unit, from } = window;
        if (unit === "hour") return run(topPeopleOfHoursSql, [from, limit]);
        const monday = firstMonday(from);
        return run(topPeopleOfDaysSql, [monday, from, monday, limit]);
      }
      const { text, values } = conditions(window, filter);
      return run(
        `SELECT ${columns}, ${sums}, (count(*) OVER ())::float8 AS total
        FROM ${by === "user" ? "usage_people" : tableFor(filter)} ${text} GROUP BY ${group}
        ORDER BY sum(issued) + sum(called) DESC, sum(denied) DESC, ${group} LIMIT ?`,
        [...values, limit],
      );
    },
    /** Of every enabled service and connector, or of those among these. */
    async health(within?: readonly UsageTarget[]): Promise<readonly TargetHealth[]> {
      if (within === undefined) return await run<TargetHealth>(`${healthSql} ORDER BY kind, key`, []);
      return await run<TargetHealth>(
        `${healthSql} WHERE (kind, key) IN (SELECT * FROM unnest(?::text[], ?::text[])) ORDER BY kind, key`,
        [within.map(({ kind }) => kind), within.map(({ key }) => key)],
      );
    },
    /** The hours or days in which a skill was read, oldest first. */
    skillReads: ({
      unit,
      from,
      skillId,
    }: UsageWindow & { readonly skillId: string }): Promise<
      readonly { readonly at: Date; readonly count: number }[]
    > => run(skillSeriesSql, [unit, from, skillId]),
    /** How often skills were read, of all services or of one. */
    topSkills: ({
      from,
      services = null,
      limit,
    }: {
      readonly from: Date;
      /** The keys of services; `installation` for the own ones. */
      readonly services?: readonly string[] | null;
      readonly limit: number;
    }): Promise<readonly { readonly skillId: string; readonly count: number; readonly total: number }[]> =>
      run(topSkillsSql, [from, services, services, limit]),
    /** The most frequent refusals first. The last refusal is looked up only for those that are shown. */
    denials(
      {
        limit,
        scope,
        ...window
      }: UsageWindow & { readonly limit: number; readonly scope?: string | undefined },
      filter: UsageFilter,
    ): Promise<readonly (Denial & { readonly total: number })[]> {
      const { text, values } = conditions(window, filter, scope);
      return run(
        `WITH top AS (
          SELECT user_id, kind, key, scope, sum(count)::float8 AS count, max(last_at) AS last_at,
            (count(*) OVER ())::float8 AS total
          FROM usage_denials ${text} GROUP BY user_id, kind, key, scope
          ORDER BY sum(count) DESC, max(last_at) DESC, user_id, kind, key, scope LIMIT ?)
        SELECT top.user_id AS "userId", kind, key, scope, count, last_at AS "lastAt", total, last.*
        FROM top CROSS JOIN LATERAL (
          SELECT client_id AS "clientId", reason FROM usage_denials d ${text}
            AND d.user_id = top.user_id AND d.kind = top.kind AND d.key = top.key AND d.scope = top.scope
          ORDER BY d.last_at DESC LIMIT 1) AS last
        ORDER BY count DESC, last_at DESC, top.user_id, kind, key, scope`,
        [...values, limit, ...values],
      );
    },
  };
}

/** The first Monday at or after a day, UTC. */
function firstMonday(from: Date): Date {
  const daysAhead = (8 - from.getUTCDay()) % 7;
  return new Date(from.getTime() + daysAhead * dayMs);
}

/** A query about one person cannot use the sums over all people. */
function tableFor({ userId }: UsageFilter): "usage_people" | "usage_counts" {
  return userId === undefined ? "usage_counts" : "usage_people";
}

function conditions(
  { unit, from }: UsageWindow,
  { clientId, userId, target, within }: UsageFilter,
  scope?: string,
) {
  return where([
    ["unit = ?", unit],
    ["at >= ?", from],
    ["client_id = ?", clientId],
    ["user_id = ?", userId],
    ["kind = ?", target?.kind],
    ["key = ?", target?.key],
    [
      "(kind, key) IN (SELECT * FROM unnest(?::text[], ?::text[]))",
      within && [within.map((one) => one.kind), within.map((one) => one.key)],
    ],
    ["scope = ?", scope],
  ]);
}
