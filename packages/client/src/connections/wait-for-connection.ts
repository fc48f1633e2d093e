import { AuthzClientError } from "../errors.js";
import { quoted } from "../transport/quoted.js";
import { type Clock, pauseUnlessStopped } from "../transport/time.js";
import type { Connection, ConnectionAttempt, ConnectionAttemptResult } from "./connection.js";
import { type ConnectionsApi, isPassing } from "./connections-api.js";

const pollSeconds = 2;

/** How to wait for someone to finish in the browser. */
export interface WaitOptions {
  /** Ends the wait, for example on Ctrl-C. */
  signal?: AbortSignal;
  /** Waits between two questions; real time unless given. */
  pause?: (seconds: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Waits until an attempt has succeeded, and answers with the connection as it is then. Asks every two seconds until the attempt expires.
 *
 * @throws {AuthzClientError} `connection_denied`, `connection_failed`, `connection_timed_out`, `connection_cancelled`
 */
export async function waitForConnection(
  api: ConnectionsApi,
  attempt: ConnectionAttempt,
  clock: Clock,
  { signal, pause = pauseUnlessStopped }: WaitOptions,
): Promise<Connection> {
  const { connector } = attempt;
  const expiresAt = Date.parse(attempt.expiresAt);
  for (;;) {
    await pause(pollSeconds, signal);
    if (signal?.aborted === true) throw cancelled(attempt);
    const late = clock() > expiresAt;
    const result = await api.attempt(attempt).catch((error: unknown) => {
      if (!isPassing(error) || late) throw error;
      return undefined;
    });
    if (result?.state === "connected") return await api.get(connector);
    if (result?.state === "failed") throw failed(connector, result);
    if (late || result?.state === "expired") throw timedOut(connector);
  }
}

function failed(connector: string, { error, description }: ConnectionAttemptResult): AuthzClientError {
  if (error === "access_denied" || error === "cancelled") {
    return new AuthzClientError("connection_declined", {
      what: "Connecting was declined.",
      why:
        description === undefined
          ? "Somebody declined it in the browser."
          : `The server says: ${quoted(description)}`,
      connection: connector,
    });
  }
  const said = description ?? error;
  const why = said === undefined ? undefined : `The server says: ${quoted(said)}`;
  return new AuthzClientError(error === "other_account" ? "connection_other_account" : "connection_failed", {
    what: "Connecting did not work.",
    why,
    connection: connector,
  });
}

function timedOut(connector: string): AuthzClientError {
  return new AuthzClientError("connection_timed_out", {
    what: "Nobody finished connecting in the browser.",
    why: "The address has expired.",
    connection: connector,
  });
}

function cancelled({ connector, expiresAt }: ConnectionAttempt): AuthzClientError {
  return new AuthzClientError("connection_cancelled", {
    what: "Waiting was stopped.",
    why: `Nothing has changed so far. The address works until ${expiresAt}: anyone who finishes there still connects the account.`,
    connection: connector,
  });
}
