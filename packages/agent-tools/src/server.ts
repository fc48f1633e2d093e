import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { callTool, type ToolSession, UnknownTool } from "./call-tool.js";
import { serveSkills } from "./serve-skills.js";
import { agentTools } from "./tools.js";

const serverInstructions = "Find a skill, read it, request what it says.";

/** Who serves the tools. */
export interface ServerOptions extends ToolSession {
  version: string;
}

/** An MCP server with the tools, and with skills as resources and through the Skills extension (SEP-2640). */
export function createServer({ version, open, describe }: ServerOptions): Server {
  const server = new Server(
    { name: "authz", version },
    { capabilities: { tools: {}, resources: {} }, instructions: serverInstructions },
  );
  serveSkills(server, { open, describe });
  server.setRequestHandler("tools/list", () => ({
    tools: agentTools.map(({ call: _call, ...described }) => described),
  }));

  server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal, notify, _meta } }) => {
    const { name, arguments: args } = params;
    const call = { name, arguments: args, progressToken: _meta?.progressToken, notify, signal };
    try {
      return await callTool(call, { open, describe });
    } catch (error) {
      if (!(error instanceof UnknownTool)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    }
  });

  return server;
}
