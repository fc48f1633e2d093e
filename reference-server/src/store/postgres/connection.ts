import { Client, DatabaseError } from "pg";
import { nameOfServer, readServers } from "../../config/database-servers.js";
import {
  chooseServer,
  createTimelines,
  notWritable,
  type ServerAnswer,
  type Standing,
} from "./choose-server.js";
import { type Heartbeat, limitStatements, type StatementDeadline } from "./statement-deadline.js";

/** Idle time before a TCP keep-alive probe. */
const keepAliveAfterMilliseconds = 5_000;
/** The database gives up this much earlier than this side: then nothing was stored, for certain. */
const earlierMilliseconds = { statement: 500, lock: 1_000 };

/** New connections do not rely on an older choice. */
const choiceMilliseconds = 15_000;

export interface ConnectOptions {
  readonly postgresUrl: string;
  /** The application's name in `pg_stat_activity`. */
  readonly name: string;
  /** Time-out of connecting to one server. */
  readonly connectSeconds: number;
  /** Interval of checks of all servers while connections are used. */
  readonly recheckMilliseconds?: number;
  /** Called when it changes with the faults of servers that accept writes and get none. */
  readonly onRefused?: (reasons: string) => void;
}

/** Connects to the server of a URL that may be written to. */
export interface Connector {
  readonly connect: () => Promise<Client>;
  /** Whether a connection leads to the primary, as far as is known. Rechecks the other servers now and then. */
  readonly isCurrent: (client: Client) => boolean;
}

/**
 * Creates the connector. Of several servers all are checked, and the one that accepts writes on the newest timeline is chosen: a replaced
 * primary that returns accepts writes too, and does not know what was spent or revoked since.
 *
 * Statements have no limit here; TCP keep-alive notices a peer that is gone.
 */
export function createConnector(options: ConnectOptions): Connector {
  const { recheckMilliseconds = 5_000 } = options;
  const { urls, mustBeWritable } = readServers(options.postgresUrl);
  const [single] = urls.length === 1 ? urls : [];
  const timelines = createTimelines();
  const standings = new WeakMap<Client, Standing>();
  let last: string | undefined;
  let chosenAt = Number.NEGATIVE_INFINITY;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<string> | undefined;
  let isSplit = false;
  let refused = "";

  async function enter(url: string): Promise<Client> {
    const { client, isWritable, standing } = await open(url, options);
    const fault = mustBeWritable && !isWritable ? notWritable : timelines.refuse(standing);
    if (fault !== undefined) {
      await closeConnection(client);
      throw new Error(`${nameOfServer(url)}: ${fault}`);
    }
    client.once("error", () => {
      chosenAt = Number.NEGATIVE_INFINITY;
    });
    if (standing !== undefined) {
      timelines.learn(standing);
      standings.set(client, standing);
    }
    return client;
  }

  async function askAll(): Promise<readonly ServerAnswer[]> {
    const answers: ServerAnswer[] = [];
    return await new Promise((resolve) => {
      const collect = async (url: string) => {
        const answer = await ask(url, options);
        answers.push(answer);
        const isPromoted = answer.standing !== undefined && timelines.learn(answer.standing);
        // After a new promotion the others cannot change the choice, and may be away: do not wait for them.
        if (answers.length === urls.length || (isPromoted && answer.isWritable)) resolve([...answers]);
      };
      for (const url of urls) void collect(url);
    });
  }

  async function choose(): Promise<string> {
    checkedAt = performance.now();
    const preferred = [last, ...urls];
    const answers = (await askAll()).toSorted(
      (one, other) => preferred.indexOf(one.url) - preferred.indexOf(other.url),
    );
    const choice = chooseServer(answers, timelines);
    ({ isSplit } = choice);
    const nowRefused = choice.refused.join("; ");
    if (nowRefused !== refused && nowRefused !== "") options.onRefused?.(nowRefused);
    refused = nowRefused;
    if (choice.url === undefined) {
      chosenAt = Number.NEGATIVE_INFINITY;
      const cause = answers.find(({ failure }) => failure !== undefined)?.failure;
      throw new Error(`no server can be written to (${choice.reasons.join("; ")})`, { cause });
    }
    last = choice.url;
    chosenAt = performance.now();
    return last;
  }

  async function recheck(): Promise<string> {
    checking ??= choose().finally(() => {
      checking = undefined;
    });
    return await checking;
  }

  return {
    async connect() {
      if (single !== undefined) return await enter(single);
      if (last !== undefined && performance.now() - chosenAt < choiceMilliseconds) {
        // Good a moment ago; meanwhile another server may be the primary.
        const client = await enter(last).catch(() => undefined);
        if (client !== undefined) return client;
      }
      return await enter(await recheck());
    },
    isCurrent(client) {
      if (single === undefined && performance.now() - checkedAt > recheckMilliseconds)
        void recheck().catch(() => undefined);
      return !isSplit && timelines.refuse(standings.get(client)) === undefined;
    },
  };
}

interface Opened {
  readonly client: Client;
  readonly isWritable: boolean;
  readonly standing: Standing | undefined;
}

async function open(url: string, { name, connectSeconds }: ConnectOptions): Promise<Opened> {
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
  const late = setTimeout(
    () => client.connection.stream.destroy(new Error("timeout expired")),
    connectSeconds * 1000,
  );
  try {
    return { client, ...(await readStanding(client)) };
  } catch (error) {
    await closeConnection(client);
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Connects to check a server; never rejects. */
async function ask(url: string, options: ConnectOptions): Promise<ServerAnswer> {
  try {
    const { client, ...answer } = await open(url, options);
    void closeConnection(client);
    return { url, ...answer };
  } catch (failure) {
    return { url, isWritable: false, standing: undefined, failure };
  }
}

const readOnlySql = "current_setting('transaction_read_only') = 'on' AS \"isReadOnly\"";

/** A standby knows the timeline that it follows, a primary the one that it writes. */
const standingSql = `
  SELECT ${readOnlySql}, system_identifier::text AS system, pg_postmaster_start_time()::text AS "startedAt",
    CASE WHEN pg_is_in_recovery() THEN greatest(checkpoint.timeline_id, recovery.min_recovery_end_timeline)
      ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END AS timeline
  FROM pg_control_system(), pg_control_checkpoint() AS checkpoint, pg_control_recovery() AS recovery`;

async function readStanding(client: Client): Promise<Omit<Opened, "client">> {
  try {
    const { rows } = await client.query<Standing & { isReadOnly: boolean }>(standingSql);
    const [{ isReadOnly, ...standing } = { isReadOnly: true }] = rows;
    return { isWritable: !isReadOnly, standing: "system" in standing ? standing : undefined };
  } catch (error) {
    // A managed database may forbid these functions: its one address is the primary's.
    if (!(error instanceof DatabaseError)) throw error;
    const { rows } = await client.query<{ isReadOnly: boolean }>(`SELECT ${readOnlySql}`);
    return { isWritable: rows[0]?.isReadOnly === false, standing: undefined };
  }
}

/** A connection whose statements have a time limit. */
export interface LimitedConnection {
  readonly client: Client;
  readonly heartbeat: Heartbeat;
}

/** Connects, and makes the database end a slow statement a moment before this side would. */
export async function connectWithLimits(
  connect: () => Promise<Client>,
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
 * Only in a session of our own. A connection pooler gives each transaction another session, so settings would reach other clients; as
 * parameters of the connection it refuses them.
 */
const limitsSql = `
  SELECT own, CASE WHEN own THEN set_config('statement_timeout', $2, false) END,
    CASE WHEN own THEN set_config('lock_timeout', $3, false) END,
    CASE WHEN own THEN set_config('idle_in_transaction_session_timeout', $4, false) END
  FROM (SELECT coalesce(pg_backend_pid() = $1::integer, false) AS own) AS session`;

/** @returns whether the session is our own: a connection pooler reports another process id */
async function setLimits(client: Client, seconds: number): Promise<boolean> {
  const { statement, lock } = earlierMilliseconds;
  const milliseconds = seconds * 1000;
  // The transaction of a process that is cut off keeps its locks this long.
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

/** Closes a connection, and destroys it when that takes too long. */
export async function closeConnection(client: Client): Promise<void> {
  const cutOff = setTimeout(() => client.connection.stream.destroy(), 1_000).unref();
  await client.end().catch(() => undefined);
  clearTimeout(cutOff);
}
