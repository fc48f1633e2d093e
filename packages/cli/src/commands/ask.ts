import { describeRequest } from "@authz/agent-tools";
import { exitCodes } from "../exit-code.js";
import { CliError } from "../messages/cli-error.js";
import { openClient } from "../profile/open-client.js";
import { askFor } from "./why/ask-for.js";
import { connectionFor } from "./why/connection-for.js";
import { type CommandContext, type CommandTree, collect } from "./command.js";

/** `authz ask` */
export function addAsk({ add, action }: CommandTree): void {
  add("ask <url>", "Ask an administrator for what a request lacks.", [
    'authz ask --reason "To file the Acme contract" https://contracts.example.com/api/contracts',
    'authz ask --scope contracts:write --reason "To file it" https://contracts.example.com/api/contracts',
    'authz ask --connection github --reason "To read issues" https://api.github.com/user/repos',
  ])
    .option("-s, --scope <scope>", "permission to ask for; everything missing unless given", collect, [])
    .option("--connection <name>", "ask to use a third party; found by the address unless given")
    .requiredOption("--reason <text>", "why you need it, for the administrator to read")
    .action(action(ask));
}

/** Options of `authz ask`. */
export interface AskOptions {
  scope: readonly string[];
  connection?: string;
  reason: string;
}

/** Asks administrators for the permissions that the person lacks at the service of an address, or to use a connection. */
async function ask(context: CommandContext, url: string, options: AskOptions): Promise<number> {
  const { runtime, output, profile, offer } = context;
  const { scope: scopes, reason } = options;
  requireReason(reason);
  const { client } = await openClient(runtime, profile);
  const { connection = await connectionFor(client, url, options) } = options;
  const request = await askFor(client, { url, connection, scopes, reason });
  if (output.json) {
    output.data(request);
    return exitCodes.ok;
  }
  output.text(describeRequest(request));
  const asked = connection === undefined ? request.scopes : [];
  output.note(`What becomes of it: ${offer({ do: "explain", url, scopes: asked })}`);
  return exitCodes.ok;
}

const longestReason = 500;

/** @throws {CliError} `usage` */
function requireReason(reason: string): void {
  const { length } = reason.trim();
  if (length > 0 && length <= longestReason) return;
  throw new CliError("usage", {
    what: `The reason must have 1 to ${String(longestReason)} characters, and this one has ${String(length)}.`,
    hint: "Say in a sentence or two what you need it for.",
    exitCode: exitCodes.usage,
  });
}
