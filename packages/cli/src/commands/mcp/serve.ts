import { exitCodes } from "../../exit-code.js";
import type { ServerOptions } from "@authz/agent-tools/server";
import { createServer, serveStdio } from "../../mcp/sdk.js";
import { StdioTransport } from "../../mcp/stdio-transport.js";
import { adviceOn, isExpected } from "../../messages/advice.js";
import { cleanLine } from "@authz/skills/invisible";
import { openClient } from "../../profile/open-client.js";
import type { CommandContext } from "../command.js";
import { clientCalls } from "./client-calls.js";
import { toolHint } from "./tool-hint.js";

/** Serves skills and requests over the Model Context Protocol on standard input and output, until the input ends. */
export async function serve(context: CommandContext): Promise<number> {
  const { runtime, profile, invocation } = context;
  const options: ServerOptions = {
    version: runtime.version(),
    open: async () => clientCalls((await openClient(runtime, profile)).client, context),
    describe: (error) =>
      isExpected(error)
        ? cleanLine(`${error.code}: ${error.message} ${toolHint(adviceOn(error), invocation)}`)
        : undefined,
  };
  const transport = new StdioTransport(runtime.stdin, runtime.stdout);
  const { watcher } = runtime;
  serveStdio(() => createServer(options), { transport, onerror: ({ message }) => watcher?.log?.(message) });
  await transport.closed;
  return exitCodes.ok;
}
