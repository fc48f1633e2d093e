import { isIdempotent, retryAfter } from "@authz/agent-tools";
import { AuthzClientError, type TransportAnswer } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";

const temporary: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const maxPauseSeconds = 60;

/** How often to try again, and how to wait. */
export interface RetryPolicy {
  retries: number;
  pause: (seconds: number) => Promise<void>;
  onWait: (seconds: number, reason: string) => void;
  /** Called when the service asks for a longer wait than a command accepts; nothing is sent again then. */
  onGivingUp: (seconds: number, reason: string) => void;
  clock: () => number;
  /** Only what certainly did not arrive is sent again, and every answer is the last word. */
  onlyUnsent?: boolean;
}

/**
 * Sends a request, and again while the service is unreachable or says that it cannot at the moment (429, 502, 503, 504). Waits as long
 * as `Retry-After` says, else twice as long each time. A service that asks for more than a minute gets its wish: the command ends, and says
 * when to come back, rather than come back too early or wait in silence.
 */
export async function sendWithRetries(
  send: () => Promise<TransportAnswer>,
  { retries, pause, onWait, onGivingUp, clock, onlyUnsent = false }: RetryPolicy,
): Promise<TransportAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    const otherwise = Math.min(0.5 * 2 ** attempt, maxPauseSeconds);
    const last = attempt >= retries;
    let seconds: number;
    let reason: string;
    try {
      const answer = await send();
      if (last || onlyUnsent || !temporary.has(answer.status)) return answer;
      reason = `The service answered ${String(answer.status)}.`;
      seconds = retryAfter(answer.headers["retry-after"], clock()) ?? otherwise;
      if (!isBearable(seconds)) {
        onGivingUp(seconds, reason);
        return answer;
      }
      answer.discard();
    } catch (error) {
      if (last || !(error instanceof AuthzClientError) || !isTemporary(error, onlyUnsent)) throw error;
      reason = error.what;
      seconds = error.facts.retryAfterSeconds ?? otherwise;
      if (!isBearable(seconds)) {
        onGivingUp(seconds, reason);
        throw error;
      }
    }
    onWait(seconds, reason);
    await pause(seconds);
  }
}

/** Whether a command waits that long. */
export function isBearable(seconds: number): boolean {
  return seconds <= maxPauseSeconds;
}

function isTemporary({ code, facts }: AuthzClientError, onlyUnsent: boolean): boolean {
  return (code === "unreachable" || code === "rate_limited") && (!onlyUnsent || facts.sent === "no");
}

/** Only a request that may arrive twice may be sent twice. @throws {CliError} */
export function requireRepeatable(method: string, repeatableBody: boolean): void {
  requireRepeatableBody(repeatableBody);
  const name = method.toUpperCase();
  if (!isIdempotent(name)) throw notSentAgain(`A ${name} that arrives twice may do its work twice.`);
}

/** Only a body that is still there can be sent again. @throws {CliError} */
export function requireRepeatableBody(repeatableBody: boolean): void {
  if (!repeatableBody) throw notSentAgain("Its body comes from standard input and can be read once.");
}

function notSentAgain(why: string): CliError {
  return new CliError("usage", {
    what: "This request is not sent again by itself.",
    why,
    hint: "Leave out --retry.",
    exitCode: exitCodes.usage,
  });
}
