import { loadConfig } from "../../config/config.js";
import { pathsFor } from "../../config/paths.js";
import { EXIT } from "../../exit-code.js";
import { openClient } from "../../session/open-client.js";
import type { CommandContext } from "../command.js";
import type { ValueKind } from "./shells.js";

/** Prints the values that a shell may complete, one a line. Nothing goes wrong here: there is nobody to read about it. */
export async function completeValues(context: CommandContext, kind: ValueKind): Promise<number> {
  const values = await VALUES[kind](context).catch(() => []);
  // Shells take such a list apart in their own ways, so only what means nothing to any of them is handed over.
  const plain = values.filter((value) => /^[a-zA-Z0-9][\w.-]*$/.test(value));
  if (plain.length > 0) context.output.text(plain.join("\n"));
  return EXIT.ok;
}

const VALUES: Readonly<Record<ValueKind, (context: CommandContext) => Promise<readonly string[]>>> = {
  profiles: async ({ surroundings }) =>
    Object.keys((await loadConfig(pathsFor(surroundings).config)).profiles),
  skills: async ({ surroundings, profile }) => {
    const { client } = await openClient(surroundings, profile);
    return (await client.skills()).map(({ id }) => id);
  },
  connections: async ({ surroundings, profile }) => {
    const { client } = await openClient(surroundings, profile);
    return (await client.connections.list()).map(({ connector }) => connector);
  },
};
