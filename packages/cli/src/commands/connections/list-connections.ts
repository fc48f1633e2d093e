import { EXIT } from "../../exit-code.js";
import { quoted } from "@authz/skills/invisible";
import { openClient } from "../../profile/open-client.js";
import type { CommandContext } from "../command.js";
import { connectStep, isAllowed, stateWord } from "./connection-words.js";

/** Lists the third parties that an administrator has set up, and the person's accounts there. */
export async function listConnections({ runtime, output, profile, offer }: CommandContext): Promise<number> {
  const { client } = await openClient(runtime, profile);
  const items = await client.connections.list();
  if (output.json) {
    output.data({ items });
    return EXIT.ok;
  }
  if (items.length === 0) {
    output.note("There is no third party to connect to yet.");
    output.note("An administrator can set one up.");
    return EXIT.ok;
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
  return EXIT.ok;
}
