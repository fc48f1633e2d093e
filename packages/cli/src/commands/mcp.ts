import { EXIT } from "../exit-code.js";
import { clientCalls } from "../mcp/client-calls.js";
import { serveStdio } from "../mcp/sdk.js";
import { createServer, type ServerOptions } from "../mcp/server.js";
import { StdioTransport } from "../mcp/stdio-transport.js";
import { toolHint } from "../mcp/tool-hint.js";
import { adviceOn, isExpected } from "../messages/advice.js";
import { cleanLine } from "../output/clean-text.js";
import { openClient } from "../session/open-client.js";
import type { CommandContext } from "./command.js";

/** Serves skills and requests over the Model Context Protocol on standard input and output, until the input ends. */
export async function mcp(context: CommandContext): Promise<number> {
  const { surroundings, profile, invocation } = context;
  const options: ServerOptions = {
    version: surroundings.version(),
    open: async () => clientCalls((await openClient(surroundings, profile)).client, context),
    describe: (error) =>
      isExpected(error)
        ? cleanLine(`${error.code}: ${error.message} ${toolHint(adviceOn(error), invocation)}`)
        : undefined,
  };
  const transport = new StdioTransport(surroundings.stdin, surroundings.stdout);
  const { watcher } = surroundings;
  serveStdio(() => createServer(options), { transport, onerror: ({ message }) => watcher?.tell?.(message) });
  await transport.closed;
  return EXIT.ok;
}
