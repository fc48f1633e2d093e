import { Client } from "pg";
import { nameOfServer, readServers } from "../../config/database-servers.js";
import { type Heartbeat, limitStatements, type StatementDeadline } from "./statement-deadline.js";

/** A connection that is idle for so long is asked whether the other end is still there. */
const keepAliveAfterMilliseconds = 5_000;
/** So much earlier than this side the database gives up: then it is known that nothing was stored. */
const earlierMilliseconds = { statement: 500, lock: 1_000 };

export interface ConnectOptions {
  readonly postgresUrl: string;
  /** Who connects, for readers of `pg_stat_activity`. */
  readonly name: string;
  /** How long the way to one server may take. */
  readonly connectSeconds: number;
}

/** Makes connections to whichever server of a URL takes them. */
export type Connect = () => Promise<Client>;

/**
 * Creates what connects. Of several servers the one that was good the last time is tried first, then the others in their
 * order; the first that can be written to is taken.
 *
 * Statements may take as long as they like; an end of the line that is gone is noticed while they do.
 */
export function createConnect(options: ConnectOptions): Connect {
  const { urls, mustBeWritable } = readServers(options.postgresUrl);
  let last: string | undefined;
  return async () => {
    const inOrder = last === undefined ? urls : [last, ...urls.filter((url) => url !== last)];
    const failures: (readonly [string, unknown])[] = [];
    for (const url of inOrder) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other: the first good one is taken
        const client = await connectTo(url, { ...options, mustBeWritable });
        last = url;
        return client;
      } catch (error) {
        failures.push([url, error]);
      }
    }
    const [[, first] = []] = failures;
    if (failures.length === 1) throw first;
    const each = failures.map(([url, error]) => `${nameOfServer(url)}: ${messageOf(error)}`);
    throw new Error(`no server can be written to (${each.join("; ")})`, { cause: first });
  };
}

async function connectTo(
  url: string,
  { name, connectSeconds, mustBeWritable }: ConnectOptions & { readonly mustBeWritable: boolean },
): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: connectSeconds * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMilliseconds,
  });
  // A connection that dies between two statements is reported by the next statement.
  client.on("error", () => undefined);
  await client.connect();
  if (!mustBeWritable) return client;
  const late = setTimeout(
    () => client.connection.stream.destroy(new Error("timeout expired")),
    connectSeconds * 1000,
  );
  try {
    const { rows } = await client.query<{ isReadOnly: boolean }>(readOnlySql);
    if (rows[0]?.isReadOnly !== false) throw new Error("it cannot be written to, it may be a standby");
    return client;
  } catch (error) {
    await closeConnection(client);
    throw error;
  } finally {
    clearTimeout(late);
  }
}

const readOnlySql = `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

/** Of a host with several addresses, the first failure. */
function messageOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return (first as Error).message;
}

/** A connection whose statements have a time limit. */
export interface LimitedConnection {
  readonly client: Client;
  readonly heartbeat: Heartbeat;
}

/** Connects, and has the database end a statement that takes too long a moment before this side would. */
export async function connectWithLimits(
  connect: Connect,
  deadline: StatementDeadline,
): Promise<LimitedConnection> {
  const client = await connect();
  const heartbeat = limitStatements(client, deadline);
  try {
    if (!(await setLimits(client, deadline.seconds))) sendUnnamed(client);
    return { client, heartbeat };
  } catch (error) {
    await closeConnection(client);
    throw error;
  }
}

/**
 * Only where the session is ours. A pooler of connections gives us another one for each transaction, and what we set in
 * one, somebody else would meet; as parameters of the connection it refuses these settings altogether.
 */
const limitsSql = `
  SELECT own, CASE WHEN own THEN set_config('statement_timeout', $2, false) END,
    CASE WHEN own THEN set_config('lock_timeout', $3, false) END,
    CASE WHEN own THEN set_config('idle_in_transaction_session_timeout', $4, false) END
  FROM (SELECT coalesce(pg_backend_pid() = $1::integer, false) AS own) AS session`;

/** @returns whether this session is ours: a pooler of connections tells a process id that is none */
async function setLimits(client: Client, seconds: number): Promise<boolean> {
  const { statement, lock } = earlierMilliseconds;
  const milliseconds = seconds * 1000;
  // A transaction whose process is cut off keeps its locks for so long.
  const idle = milliseconds * 2;
  const limits = [milliseconds - statement, milliseconds - lock, idle].map(String);
  const { processID } = client as unknown as { readonly processID: number | null };
  const { rows } = await client.query<{ own: boolean }>({ text: limitsSql, values: [processID, ...limits] });
  return rows[0]?.own === true;
}

/** A statement that is prepared by name belongs to a session, so behind a pooler it would be missing or another one. */
function sendUnnamed(client: Client): void {
  const send = client.query.bind(client) as (...input: unknown[]) => unknown;
  const query = (statement: unknown, ...rest: unknown[]) =>
    send(typeof statement === "object" ? { ...statement, name: undefined } : statement, ...rest);
  client.query = query as typeof client.query;
}

/** Closes a connection. One that cannot take its leave is cut off. */
export async function closeConnection(client: Client): Promise<void> {
  const cutOff = setTimeout(() => client.connection.stream.destroy(), 1_000).unref();
  await client.end().catch(() => undefined);
  clearTimeout(cutOff);
}
