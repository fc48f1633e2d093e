import type { Connection, Revocation } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import { quoted } from "@authz/skills/invisible";
import { openClient } from "../../profile/open-client.js";
import type { CommandContext } from "../command.js";

/** Options of `authz connections disconnect`. */
export interface DisconnectOptions {
  yes?: boolean;
}

/** Disconnects an account: the server stops using it, revokes the access at the third party and deletes it. */
export async function disconnect(
  context: CommandContext,
  name: string,
  { yes = false }: DisconnectOptions,
): Promise<number> {
  const { runtime, output, profile } = context;
  const { client } = await openClient(runtime, profile);
  const connection = await client.connections.get(name);
  if (connection.state === "not_connected") {
    if (output.json) output.data({ connector: name, disconnected: false, revocation: null });
    else output.note(`You were not connected to ${connection.name}.`);
    return exitCodes.ok;
  }
  if (!yes && !(await agrees(context, connection))) {
    output.note("Nothing was changed.");
    return exitCodes.failure;
  }
  output.progress(`Disconnecting from ${connection.name} …`);
  const { revocation } = await client.connections.disconnect(name);
  if (output.json) output.data({ connector: name, disconnected: true, revocation });
  else report(context, connection, revocation);
  return exitCodes.ok;
}

/** The one question that authz asks, because only the person can restore a connection. */
async function agrees({ runtime, output }: CommandContext, connection: Connection): Promise<boolean> {
  const { connector, name, account } = connection;
  const { stdin, stdinIsTerminal, stderrIsTerminal, stderr } = runtime;
  if (!stdinIsTerminal || !stderrIsTerminal || output.json || output.agent) {
    throw new CliError("usage", {
      what: `Nothing was done yet: disconnecting from ${name} has to be confirmed.`,
      why: "Afterwards somebody has to connect the account again in a browser.",
      hint: "To confirm",
      next: { do: "run", words: ["connections", "disconnect", connector, "--yes"] },
      exitCode: exitCodes.usage,
    });
  }
  const { createInterface } = await import("node:readline/promises");
  const label = account.label === undefined ? "" : ` (${quoted(account.label)})`;
  output.note(`After this, agents can no longer use your account at ${name}${label}.`);
  const reader = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    const closed = new Promise<string>((resolve) => {
      reader.once("close", () => resolve(""));
    });
    const answer = await Promise.race([reader.question("Disconnect it? [y/N] "), closed]);
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } finally {
    reader.close();
  }
}

function report({ output }: CommandContext, { name }: Connection, revocation: Revocation): void {
  output.note(`Disconnected from ${output.bold(name)}. The server has deleted its access to your account.`);
  if (revocation === "confirmed") return;
  output.note(
    revocation === "unconfirmed"
      ? output.warning(`${name} did not confirm that the access has ended there.`)
      : `${name} offers no way for a server to end the access there.`,
  );
  output.note(
    `To be sure, open the settings of your account at ${name} and revoke this application's access there.`,
  );
}
