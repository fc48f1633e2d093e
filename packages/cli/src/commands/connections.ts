import { type CommandTree, collect } from "./command.js";
import { connect } from "./connections/connect.js";
import { disconnect } from "./connections/disconnect.js";
import { listConnections } from "./connections/list-connections.js";
import { showConnection } from "./connections/show-connection.js";

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
