import { AuthzClientError, type TransportAnswer } from "@authz/client";
import { CliError } from "../../cli-error.js";
import { EXIT } from "../../exit-code.js";

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_PAUSE_SECONDS = 60;

/** How often to try again, and how to wait. */
export interface RetryPolicy {
  retries: number;
  pause: (seconds: number) => Promise<void>;
  onWait: (seconds: number, reason: string) => void;
  /** Only what certainly did not arrive is sent again, and every answer is the last word. */
  onlyUnsent?: boolean;
}

/**
 * Sends a request, and again while the service is unreachable or says that it cannot at the moment (429, 502, 503, 504). Waits as long
 * as `Retry-After` says, else twice as long each time.
 */
export async function sendWithRetries(
  send: () => Promise<TransportAnswer>,
  { retries, pause, onWait, onlyUnsent = false }: RetryPolicy,
): Promise<TransportAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    const otherwise = 0.5 * 2 ** attempt;
    const last = attempt >= retries;
    let seconds: number;
    let reason: string;
    try {
      const answer = await send();
      if (last || onlyUnsent || !TEMPORARY.has(answer.status)) return answer;
      answer.discard();
      reason = `The service answered ${String(answer.status)}.`;
      seconds = retryAfter(answer.headers["retry-after"]) ?? otherwise;
    } catch (error) {
      if (last || !(error instanceof AuthzClientError) || !isTemporary(error, onlyUnsent)) throw error;
      reason = error.what;
      seconds = error.retryAfterSeconds ?? otherwise;
    }
    const waiting = Math.min(seconds, MAX_PAUSE_SECONDS);
    onWait(waiting, reason);
    await pause(waiting);
  }
}

function isTemporary({ code, sent }: AuthzClientError, onlyUnsent: boolean): boolean {
  return (code === "unreachable" || code === "rate_limited") && (!onlyUnsent || sent === "no");
}

/** Only a request that may arrive twice may be sent twice. @throws {CliError} */
export function requireRepeatable(method: string, repeatableBody: boolean): void {
  requireRepeatableBody(repeatableBody);
  const name = method.toUpperCase();
  if (!IDEMPOTENT.has(name)) throw notSentAgain(`A ${name} that arrives twice may do its work twice.`);
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
    exitCode: EXIT.usage,
  });
}

function retryAfter(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}
