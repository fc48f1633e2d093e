import { describeRequest } from "@authz/agent-tools";
import { EXIT } from "../exit-code.js";
import { openClient } from "../profile/open-client.js";
import { type CommandContext, type CommandTree, collect } from "./command.js";

/** `authz ask` */
export function addAsk({ add, action }: CommandTree): void {
  add("ask <url>", "Ask an administrator for what a request lacks.", [
    'authz ask --reason "To file the Acme contract" https://contracts.example.com/api/contracts',
    'authz ask --scope contracts:write --reason "To file it" https://contracts.example.com/api/contracts',
  ])
    .option("-s, --scope <scope>", "permission to ask for; everything missing unless given", collect, [])
    .requiredOption("--reason <text>", "why you need it, for the administrator to read")
    .action(action(ask));
}

/** Options of `authz ask`. */
export interface AskOptions {
  scope: readonly string[];
  reason: string;
}

/** Asks administrators for the permissions that the person lacks at the service of an address. */
export async function ask(context: CommandContext, url: string, options: AskOptions): Promise<number> {
  const { runtime, output, profile, offer } = context;
  const { scope: scopes, reason } = options;
  const { client } = await openClient(runtime, profile);
  const { key } = await client.resourceFor(url);
  const request = await client.askForAccess({ resource: key, scopes, reason });
  if (output.json) {
    output.data(request);
    return EXIT.ok;
  }
  output.text(describeRequest(request));
  output.note(`What becomes of it: ${offer({ do: "explain", url, scopes: request.scopes })}`);
  return EXIT.ok;
}
