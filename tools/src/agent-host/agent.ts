import {
  type CallToolResult,
  Client,
  type FetchLike,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { AgentHost } from "./host.js";

/** A connection of a host to one MCP server. */
export interface Agent {
  readonly client: Client;
  /**
   * Calls a tool. When the server asks for one more scope, the person is asked, and the tool is called once more.
   *
   * @throws {Error} The scope was not granted.
   */
  call(tool: string, input?: Record<string, unknown>): Promise<CallToolResult>;
  close(): Promise<void>;
}

/**
 * Connects to an MCP server. When it answers 401, the person signs in, and it is tried once more.
 *
 * @param network - what carries requests; default: `fetch`
 */
export async function connectAgent(host: AgentHost, url: URL, network?: FetchLike): Promise<Agent> {
  let { client, transport } = prepare(host, url, network);
  try {
    await client.connect(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(host.takeAnswer());
    ({ client, transport } = prepare(host, url, network));
    await client.connect(transport);
  }
  return {
    client,
    async call(name, input = {}) {
      const request = { name, arguments: input };
      try {
        return await client.callTool(request);
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error;
        await transport.finishAuth(host.takeAnswer());
        host.provider.requireGranted();
        return await client.callTool(request);
      }
    },
    close: () => client.close(),
  };
}

/** A client that speaks the newest protocol that the server knows. Its transport cannot be connected twice. */
function prepare(
  host: AgentHost,
  url: URL,
  network: FetchLike | undefined,
): { client: Client; transport: StreamableHTTPClientTransport } {
  const client = new Client(
    { name: "agent-host", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const options = { authProvider: host.provider, ...(network !== undefined && { fetch: network }) };
  return { client, transport: new StreamableHTTPClientTransport(url, options) };
}
