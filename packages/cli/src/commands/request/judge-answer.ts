import { explainCommand, type TransportAnswer } from "@authz/client";
import { CliError } from "../../cli-error.js";
import { EXIT } from "../../exit-code.js";

/** Whether an answer is a success. */
export function isSuccess({ status }: TransportAnswer): boolean {
  return status >= 200 && status < 300;
}

/** The failure for an answer that is not 2xx. Its body has gone to stdout; this is for stderr. */
export function failureOf({ status, headers }: TransportAnswer, url: string): CliError {
  const { host } = new URL(url);
  if (status === 401 || status === 403) {
    const challenge = headers["www-authenticate"] ?? "";
    return new CliError("service_refused", {
      what: `${host} did not allow the request (${String(status)}).`,
      why: refusalReason(challenge),
      hint: `See what is missing, and whom to ask: ${explainCommand(url, neededScopes(challenge))}`,
      exitCode: EXIT.notAllowed,
    });
  }
  if (status >= 300 && status < 400) {
    return new CliError("service_failed", {
      what: `${host} answered with a redirect (${String(status)}), which authz does not follow.`,
      why: `It points to ${headers.location ?? "nowhere"}. Credentials go only to addresses you name yourself.`,
      hint: "If that address is right, run the request on it.",
      exitCode: EXIT.failure,
    });
  }
  return new CliError("service_failed", {
    what: `${host} answered ${String(status)}.`,
    hint: "Its answer says more. Correct the request, or try again later.",
    exitCode: EXIT.failure,
  });
}

/** The scopes a challenge names. Only what looks like one: the text is offered as part of a command. */
function neededScopes(challenge: string): readonly string[] {
  const scopes = /\bscope="([^"]*)"/.exec(challenge)?.[1]?.split(" ") ?? [];
  return scopes.filter((scope) => /^[a-z0-9-]+:[a-z0-9-]+$/.test(scope));
}

function refusalReason(challenge: string): string {
  const scopes = neededScopes(challenge);
  if (scopes.length > 0) return `It needs these permissions: ${scopes.join(", ")}.`;
  const error = /\berror="([^"]*)"/.exec(challenge)?.[1];
  return error === undefined ? "It gave no reason." : `It says: ${error}.`;
}
