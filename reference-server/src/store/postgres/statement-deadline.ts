import type { Client } from "pg";

/** A statement had no answer in time. Its connection is destroyed: whatever comes on it now is for nobody. */
class StatementDeadlineError extends Error {
  override readonly name = "StatementDeadlineError";
  readonly code = "ETIMEDOUT";
  constructor(seconds: number) {
    super(`The database did not answer a statement within ${seconds} s; its connection was closed.`);
  }
}

/** What is known about one connection. */
export interface Heartbeat {
  /** When it last answered, by the monotonic clock, in milliseconds. */
  heardAt: number;
}

export interface StatementDeadline {
  readonly seconds: number;
  /** Told that connections which were not heard of since this moment are not to be trusted. */
  readonly onSuspicion?: (since: number) => void;
}

type Query = (...input: unknown[]) => unknown;

/**
 * Gives every statement of a connection a time limit on this side of the network. A connection whose packets are lost
 * looks healthy to the operating system for a quarter of an hour, and the database's own limits cannot reach us.
 *
 * A statement that misses it fails, and the connection with it: it must never be used again.
 */
export function limitStatements(client: Client, { seconds, onSuspicion }: StatementDeadline): Heartbeat {
  const heartbeat = { heardAt: performance.now() };
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
      heartbeat.heardAt = performance.now();
      if (isReadOnly(error)) onSuspicion?.(heartbeat.heardAt);
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

/** A server that was replaced by another one may go on as its copy: connections to it are of no use any more. */
function isReadOnly(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null | undefined)?.code === "25006";
}

/** A statement may bring a limit of its own. */
function limitOf(statement: unknown): number | undefined {
  if (typeof statement !== "object" || statement === null) return undefined;
  const { deadlineSeconds } = statement as { readonly deadlineSeconds?: unknown };
  return typeof deadlineSeconds === "number" ? deadlineSeconds : undefined;
}
