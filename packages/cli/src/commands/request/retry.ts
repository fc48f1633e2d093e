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
}

/**
 * Sends a request, and again while the service is unreachable or says that it cannot at the moment (429, 502, 503, 504). Waits as long
 * as `Retry-After` says, else twice as long each time.
 */
export async function sendWithRetries(
  send: () => Promise<TransportAnswer>,
  { retries, pause, onWait }: RetryPolicy,
): Promise<TransportAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    const otherwise = 0.5 * 2 ** attempt;
    const last = attempt >= retries;
    let seconds: number;
    let reason: string;
    try {
      const answer = await send();
      if (last || !TEMPORARY.has(answer.status)) return answer;
      answer.discard();
      reason = `The service answered ${String(answer.status)}.`;
      seconds = retryAfter(answer.headers["retry-after"]) ?? otherwise;
    } catch (error) {
      if (last || !(error instanceof AuthzClientError) || error.code !== "unreachable") throw error;
      reason = error.what;
      seconds = otherwise;
    }
    const waiting = Math.min(seconds, MAX_PAUSE_SECONDS);
    onWait(waiting, reason);
    await pause(waiting);
  }
}

/** Only a request that may arrive twice may be sent twice. @throws {CliError} */
export function requireRepeatable(method: string, repeatableBody: boolean): void {
  if (IDEMPOTENT.has(method.toUpperCase()) && repeatableBody) return;
  throw new CliError("usage", {
    what: "This request is not sent again by itself.",
    why: repeatableBody
      ? `A ${method.toUpperCase()} that arrives twice may do its work twice.`
      : "Its body comes from standard input and can be read once.",
    hint: "Leave out --retry.",
    exitCode: EXIT.usage,
  });
}

function retryAfter(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}
