import { type AnsweredRequest, isIdempotent, type Problem, problemOf } from "@authz/agent-tools";
import type { AuthorizedRequest, AuthzClient, TransportAnswer } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import type { Advice } from "../../messages/next-step.js";
import { isBearable } from "./retry.js";

/** What a service's answer to a request is judged by. The kept list of services is enough, so nothing is fetched. */
export async function answeredRequest(
  client: AuthzClient,
  request: AuthorizedRequest,
  now: number,
): Promise<AnsweredRequest> {
  const { url, method = "GET", scopes: asked = [] } = request;
  const plan = await client.planRequest(request).catch(() => undefined);
  const permissions = {
    used: plan?.scopes ?? asked,
    held: plan?.resource.grantedScopes ?? asked,
    known: plan?.resource.supportedScopes ?? asked,
  };
  return { url, method: method.toUpperCase(), permissions, now };
}

/** Whether an answer is a success. */
export function isSuccess({ status }: TransportAnswer): boolean {
  return status >= 200 && status < 300;
}

/**
 * The failure for an answer that is not 2xx. Its body has gone to stdout; this is for stderr. `canRetry` is for a command without
 * `--retry` that could have it.
 */
export function failureOf(
  answer: TransportAnswer,
  request: AnsweredRequest,
  { canRetry = false }: { canRetry?: boolean } = {},
): CliError {
  const problem = problemOf(answer, request);
  if (problem === undefined) throw new TypeError("A success is no failure.");
  const { code, what, why, quote } = problem;
  return new CliError(code, {
    what,
    ...(why !== undefined && { why }),
    quote,
    ...adviceOn(problem, canRetry && isIdempotent(request.method)),
    exitCode: code === "service_refused" ? exitCodes.notAllowed : exitCodes.failure,
  });
}

/** The advice on a problem, with what only a command can do about it. */
function adviceOn({ hint, next, isTokenRefused, waitSeconds }: Problem, canRetry: boolean): Advice {
  if (isTokenRefused === true)
    return {
      hint: "The reason is in the service's log. Check the session and the server",
      next: { do: "run", words: ["doctor"] },
    };
  return waitSeconds !== undefined && canRetry && isBearable(waitSeconds)
    ? { hint, next: { do: "add", lead: "Or let authz do it", words: ["--retry", "3"] } }
    : { hint, next };
}
