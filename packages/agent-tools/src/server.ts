import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import type { AgentCalls } from "./agent-calls.js";
import { cleanLine } from "./clean-text.js";
import { framedSkill } from "./frame.js";
import { reportProgress } from "./report-progress.js";
import { InvalidArguments, TOOLS } from "./tools.js";

const SKILL_ADDRESS = "authz-skill:///";
const INSTRUCTIONS = "Find a skill, read it, request what it says.";

/** Who serves the tools. */
export interface ServerOptions {
  version: string;
  /** Opens the session. It may be missing: the first call says what to do, which an agent can pass on. */
  open: () => Promise<AgentCalls>;
  /** What went wrong and what to do next, for a model; undefined for a failure nobody foresaw. */
  describe: (error: unknown) => string | undefined;
}

/** An MCP server with skills as resources, and the tools. */
export function createServer({ version, open, describe }: ServerOptions): Server {
  const server = new Server(
    { name: "authz", version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  /** Tells a failure that is foreseen in words that a model can pass on. */
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const text = describe(error);
      throw text === undefined ? error : new ProtocolError(ProtocolErrorCode.InternalError, text);
    }
  };

  server.setRequestHandler("tools/list", () => ({
    tools: TOOLS.map(({ call: _call, ...described }) => described),
  }));

  server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal, notify, _meta } }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) throw invalidParams(`There is no tool "${params.name}".`);
    const stopReporting = reportProgress(_meta?.progressToken, notify);
    try {
      const text = await tool.call(await open(), params.arguments ?? {}, signal);
      return { content: [{ type: "text", text }] };
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

  server.setRequestHandler("resources/list", async () => ({
    resources: await told(async () =>
      (await (await open()).skills()).items.map(({ id, title, description }) => ({
        uri: `${SKILL_ADDRESS}${id}`,
        name: id,
        title: cleanLine(title),
        ...(description === undefined ? {} : { description: cleanLine(description) }),
        mimeType: "text/markdown",
      })),
    ),
  }));

  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));

  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    if (!uri.startsWith(SKILL_ADDRESS))
      throw new ResourceNotFoundError(uri, "Resources of authz begin with authz-skill:///");
    const calls = await told(open);
    const skill = await calls.skill(uri.slice(SKILL_ADDRESS.length)).catch((error: unknown) => {
      const text = describe(error);
      throw text === undefined ? error : new ResourceNotFoundError(uri, text);
    });
    return { contents: [{ uri, mimeType: "text/markdown", text: framedSkill(skill) }] };
  });

  return server;
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
