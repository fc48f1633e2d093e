import { loadConfig } from "../../src/config/config.js";
import { openTokens } from "../../src/connectors/refresh/stored-tokens.js";
import { createConnectorVault } from "../../src/encryption-keys/open-vaults.js";
import { connectionTable } from "../../src/store/connections.js";
import { testEnvironment } from "../support/environment.js";
import type { ConnectionsStage } from "./connections-stage.js";

const vault = createConnectorVault(loadConfig(testEnvironment()).connectorKeys, { clock: Date.now });

const eventsByConnection = `
  SELECT data->>'connectionId' AS id,
    count(*) FILTER (WHERE type = 'connection.created') AS created,
    count(*) FILTER (WHERE type = 'connection.reconnected') AS reconnected,
    count(*) FILTER (WHERE type = 'connection.refreshed') AS refreshed,
    count(*) FILTER (WHERE type = 'connection.removed') AS removed,
    (array_agg(type ORDER BY id DESC) FILTER (WHERE type IN ('connection.created', 'connection.reconnected',
      'connection.refreshed', 'connection.reconnect_required')))[1] AS latest
  FROM audit_events WHERE type LIKE 'connection.%' AND data ? 'connectionId' GROUP BY 1`;

/** Each query returns one text per violation, once every process that was killed has been made up for. */
const rules = {
  "no request waits for its event": `
    SELECT id::text AS violation FROM forwarded_calls`,
  "nothing is being refreshed or disconnected": `
    SELECT id || ' ' || state AS violation FROM connections
    WHERE refresh_lease IS NOT NULL OR state = 'disconnecting'`,
  "a connection is there from its first event to its last": `
    WITH events AS (${eventsByConnection})
    SELECT concat_ws(' ', coalesce(c.id::text, events.id), 'created', created, 'removed', removed) AS violation
    FROM connections c FULL JOIN events ON events.id = c.id::text
    WHERE created IS DISTINCT FROM 1 OR removed IS DISTINCT FROM CASE WHEN c.id IS NULL THEN 1 ELSE 0 END`,
  "each set of tokens has one event": `
    WITH events AS (${eventsByConnection})
    SELECT c.id || ' version ' || credential_version AS violation FROM connections c
    JOIN events ON events.id = c.id::text WHERE credential_version <> created + reconnected + refreshed`,
  "a connection must be connected again exactly when its last event says so": `
    WITH events AS (${eventsByConnection})
    SELECT c.id || ' ' || state || ' ' || latest AS violation FROM connections c
    JOIN events ON events.id = c.id::text
    WHERE (state = 'reconnect_required') <> (latest = 'connection.reconnect_required')`,
  "an attempt has connected exactly when an event says so": `
    SELECT k.key || ' ' || attempts || ' ' || events AS violation FROM connectors k,
      LATERAL (SELECT count(*) AS attempts FROM connection_attempts a
        WHERE a.connector_id = k.id AND outcome = 'connected') AS attempted,
      LATERAL (SELECT count(*) AS events FROM audit_events WHERE data->>'connector' = k.key
        AND type IN ('connection.created', 'connection.reconnected')) AS recorded
    WHERE attempts <> events`,
} as const;

/** What clients know that the server cannot. */
export interface UseLedger {
  /** Answers of the third party that came through, by connector. */
  readonly answered: ReadonlyMap<string, number>;
  /** Requests without an answer that says whether they were sent, by connector. */
  readonly unclear: ReadonlyMap<string, number>;
}

/** Looks for anything lost, doubled or half-done in connections, here and at the third party. */
export async function findConnectionViolations(
  stage: ConnectionsStage,
  ledger?: UseLedger,
): Promise<string[]> {
  const found: string[] = [];
  for (const [rule, text] of Object.entries(rules)) {
    const rows = await stage.database.query<{ violation: string }>(text);
    found.push(...rows.map(({ violation }) => `${rule}: ${violation}`));
  }
  return [...found, ...(await findUnrecordedUses(stage, ledger)), ...(await findDeadTokens(stage))];
}

/** Whatever the third party has seen has one event; more events there are only of what was cut off before. */
async function findUnrecordedUses(
  { database, gate }: ConnectionsStage,
  ledger: UseLedger | undefined,
): Promise<string[]> {
  const rows = await database.query<{ connector: string; used: number; answered: number }>(
    `SELECT k.key AS connector, count(e.id)::integer AS used,
       (count(e.id) FILTER (WHERE e.outcome = 'success'))::integer AS answered
     FROM connectors k LEFT JOIN audit_events e ON e.type = 'connection.used' AND e.data->>'connector' = k.key
     GROUP BY 1`,
  );
  return rows.flatMap(({ connector, used, answered }) => {
    const seen = gate.used(connector);
    const says = `${connector}: ${used} events, ${seen} requests`;
    if (used < seen) return [`a request has no event: ${says}`];
    const known = ledger?.answered.get(connector);
    if (ledger === undefined || known === undefined) return [];
    const unclear = ledger.unclear.get(connector) ?? 0;
    const isRight = used >= known && used <= known + unclear && answered <= seen;
    return isRight ? [] : [`${says}, ${answered} answers, ${known} seen, ${unclear} unclear`];
  });
}

/** A connection that says it can be used has tokens that the third party takes. */
async function findDeadTokens({ database, thirdParty }: ConnectionsStage): Promise<string[]> {
  const rows = await database.query<{ readonly id: string }>(
    `SELECT ${connectionTable.select()} FROM connections WHERE state = 'connected'`,
  );
  const dead = await Promise.all(
    rows.map(async (row) => {
      const { accessToken, refreshToken = "" } = await openTokens(connectionTable.fromRow(row), vault);
      const live = await Promise.all([thirdParty.isLive(accessToken), thirdParty.isLive(refreshToken)]);
      return live.includes(false) ? [`${row.id} is connected with dead tokens: ${live.join(" ")}`] : [];
    }),
  );
  return dead.flat();
}
