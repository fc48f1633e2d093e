import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import type { AgentCalls } from "./agent-calls.js";
import { cleanJson, toSafeJson } from "./clean-text.js";
import { reportProgress } from "./report-progress.js";
import { serveSkills } from "./serve-skills.js";
import { InvalidArguments, TOOLS } from "./tools.js";

const INSTRUCTIONS = "Find a skill, read it, request what it says.";

/** Who serves the tools. */
export interface ServerOptions {
  version: string;
  /** Opens the session. If there is none, the first call says what to do, which an agent can pass on. */
  open: () => Promise<AgentCalls>;
  /** What went wrong and what to do next, for a model; undefined for an unforeseen failure. */
  describe: (error: unknown) => string | undefined;
}

/** An MCP server with the tools, and with skills as resources and through the Skills extension (SEP-2640). */
export function createServer({ version, open, describe }: ServerOptions): Server {
  const server = new Server(
    { name: "authz", version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  serveSkills(server, { open, describe });
  server.setRequestHandler("tools/list", () => ({
    tools: TOOLS.map(({ call: _call, ...described }) => described),
  }));

  server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal, notify, _meta } }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) throw invalidParams(`There is no tool "${params.name}".`);
    const stopReporting = reportProgress(_meta?.progressToken, notify);
    try {
      return shownResult(await tool.call(await open(), params.arguments ?? {}, signal));
    } catch (error) {
      if (error instanceof InvalidArguments) throw invalidParams(error.message);
      const text = describe(error);
      if (text === undefined) throw error;
      // A failure of a tool is a result: the model is to read it.
      return { content: [{ type: "text", text }], isError: true };
    } finally {
      stopReporting();
    }
  });

  return server;
}

/** A result as text; what a tool describes with `outputSchema` also as it is, for programs that go on with it. */
function shownResult(result: string | object): CallToolResult {
  if (typeof result === "string") return { content: [{ type: "text", text: result }] };
  return {
    content: [{ type: "text", text: toSafeJson(result) }],
    structuredContent: cleanJson(result),
  };
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
