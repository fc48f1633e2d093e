import type { Client } from "pg";

/** A statement had no answer in time. Its connection is destroyed: a late answer has no reader. */
class StatementDeadlineError extends Error {
  override readonly name = "StatementDeadlineError";
  readonly code = "ETIMEDOUT";
  constructor(seconds: number) {
    super(`The database did not answer a statement within ${seconds} s; its connection was closed.`);
  }
}

/** The last sign of life of a connection. */
export interface Heartbeat {
  /** The time of its last answer, by the monotonic clock, in milliseconds. */
  answeredAt: number;
}

export interface StatementDeadline {
  readonly seconds: number;
  /** Called when connections without an answer since this moment are no longer to be trusted. */
  readonly onSuspicion?: (since: number) => void;
}

type Query = (...input: unknown[]) => unknown;

/**
 * Gives every statement of a connection a time limit on this side of the network. A connection whose packets are lost looks healthy to
 * the operating system for a quarter of an hour, and the database's own limits do not arrive.
 *
 * A statement that misses it fails, and the connection with it: it must never be used again.
 */
export function limitStatements(client: Client, { seconds, onSuspicion }: StatementDeadline): Heartbeat {
  const heartbeat = { answeredAt: performance.now() };
  const send = client.query.bind(client) as Query;
  const query: Query = (...input) => {
    const sentAt = performance.now();
    const limit = limitOf(input[0]) ?? seconds;
    const timer = setTimeout(() => {
      onSuspicion?.(sentAt);
      client.connection.stream.destroy(new StatementDeadlineError(limit));
    }, limit * 1000).unref();
    const settled = (error?: unknown) => {
      clearTimeout(timer);
      heartbeat.answeredAt = performance.now();
      if (isReadOnly(error)) onSuspicion?.(heartbeat.answeredAt);
    };
    const callback = input.at(-1);
    if (typeof callback === "function") {
      const call = callback as Query;
      return send(...input.slice(0, -1), (...outcome: unknown[]) => {
        settled(outcome[0]);
        return call(...outcome);
      });
    }
    const result = send(...input) as Promise<unknown>;
    result.then(() => settled(), settled);
    return result;
  };
  client.query = query as typeof client.query;
  return heartbeat;
}

/** A replaced primary may continue as a standby: connections to it are useless then. */
function isReadOnly(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null | undefined)?.code === "25006";
}

/** A statement may bring a limit of its own. */
function limitOf(statement: unknown): number | undefined {
  if (typeof statement !== "object" || statement === null) return undefined;
  const { deadlineSeconds } = statement as { readonly deadlineSeconds?: unknown };
  return typeof deadlineSeconds === "number" ? deadlineSeconds : undefined;
}
