import { collect, type CommandContext, type CommandTree } from "./command.js";
import { connect } from "./connections/connect.js";
import { disconnect } from "./connections/disconnect.js";
import { showConnection } from "./connections/show-connection.js";
import { exitCodes } from "../exit-code.js";
import { quoted } from "@authz/skills/invisible";
import { openClient } from "../profile/open-client.js";
import { connectStep, isAllowed, stateWord } from "./connections/connection-words.js";

/** `connections` with `list`, `show`, `connect` and `disconnect`. */
export function addConnections({ add, addBelow, action }: CommandTree): void {
  const connections = add("connections", "Connect your accounts at third parties.", [
    "authz connections",
    "authz connections connect github",
    "authz request --connection github https://api.github.com/user",
  ]);
  const list = action(listConnections);
  connections.action(async () => await list());
  addBelow(connections, "list", "List the third parties, and which you are connected to.", [
    "authz connections list",
  ]).action(async () => await list());

  addBelow(
    connections,
    "show <name>",
    "Show one: its state, its scopes, and the addresses and methods you can call.",
    ["authz connections show github"],
  ).action(action(showConnection));

  addBelow(connections, "connect <name>", "Connect your account, or connect it again, in a browser.", [
    "authz connections connect github",
    "authz connections connect github --without gist",
    "authz connections connect github --no-browser   prints the address",
  ])
    .option("-s, --scope <scope>", "ask for these instead of the usual ones; repeat for more", collect, [])
    .option("--without <scope>", "leave out one of the usual ones; repeat for more", collect, [])
    .option("--no-browser", "print the address and wait until it is opened on any device")
    .action(action(connect));

  addBelow(connections, "disconnect <name>", "Revoke the access to your account and delete it.", [
    "authz connections disconnect github",
  ])
    .option("-y, --yes", "do not ask for confirmation; needed without a terminal")
    .action(action(disconnect));
}

/** Lists the third parties that an administrator has set up, and the person's accounts there. */
async function listConnections({ runtime, output, profile, offer }: CommandContext): Promise<number> {
  const { client } = await openClient(runtime, profile);
  const items = await client.connections.list();
  if (output.json) {
    output.data({ items });
    return exitCodes.ok;
  }
  if (items.length === 0) {
    output.note("There is no third party to connect to yet.");
    output.note("An administrator can set one up.");
    return exitCodes.ok;
  }
  output.table(
    ["NAME", "STATE", "ALLOWED", "ACCOUNT", "THIRD PARTY"],
    items.map((connection) => [
      connection.connector,
      stateWord(connection),
      isAllowed(connection) ? "yes" : "no",
      connection.account.label === undefined ? "" : quoted(connection.account.label),
      connection.name,
    ]),
  );
  for (const connection of items.filter(({ state }) => state === "reconnect_required"))
    output.note(`${output.warning("Connect again:")} ${offer(connectStep(connection))}`);
  if (runtime.stdoutIsTerminal && !output.agent)
    output.note(
      output.quiet(`What one can be used for: ${offer({ do: "show_connection", connection: "NAME" })}`),
    );
  return exitCodes.ok;
}
