import type { AuthorizedRequest, AuthzClient, ConnectionRequest } from "@authz/client";
import { quoted } from "@authz/skills/invisible";
import { exitCodes, exitCodeFor } from "../../exit-code.js";
import { adviceOn } from "../../messages/advice.js";
import { CliError } from "../../messages/cli-error.js";
import { hintOf } from "../../messages/next-step.js";
import type { CommandContext } from "../command.js";
import type { RequestOptions } from "./request-options.js";

/** The connection that `--connection` names. @throws {CliError} `usage` for options that mean nothing with it. */
export function connectionOf({ connection = "", scope }: RequestOptions): string {
  if (scope.length === 0) return connection;
  throw scopeMeansNothing(connection);
}

export function scopeMeansNothing(connection: string): CliError {
  return new CliError("usage", {
    what: "--scope has no effect with --connection.",
    why: "What requests may do at the third party was decided when the account was connected.",
    hint: "Leave --scope out. To ask the third party for more",
    next: { do: "run", words: ["connections", "connect", connection, "--scope", "SCOPE"] },
    exitCode: exitCodes.usage,
  });
}

/** The same request for a third party. */
export function forConnection(built: AuthorizedRequest, connection: string): ConnectionRequest {
  const { scopes: _none, ...rest } = built;
  return { ...rest, connection };
}

/** Shows which connection and rule apply and what is in the way, and sends nothing. */
export async function planThrough(
  { output, invocation }: CommandContext,
  client: AuthzClient,
  request: ConnectionRequest,
): Promise<number> {
  const { method, url, connection, prefix, refusal } = await client.connections.plan(request);
  const { connector, name, state, missingScopes } = connection;
  const allowed = refusal === undefined;
  if (output.json) {
    output.data({ method, url, connection: { connector, name, state }, prefix, missingScopes, allowed });
  } else {
    output.facts([
      ["Request", `${method} ${url}`],
      ["Third party", `${name} (${connector})`],
      ["Account", connection.account.label === undefined ? undefined : quoted(connection.account.label)],
      ["Rule", prefix],
      ["Allowed", refusal === undefined ? "yes" : `no. ${refusal.what}`],
    ]);
    output.note(output.quiet("Nothing was sent."));
    if (refusal !== undefined) output.note(hintOf(adviceOn(refusal), invocation));
  }
  return refusal === undefined ? exitCodes.ok : exitCodeFor(refusal.code);
}
