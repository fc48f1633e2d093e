/**
 * The MCP server and what we use of its SDK: a file of its own in the bundle, because only `authz mcp` loads it.
 *
 * @module
 */
export { createServer } from "@authz/agent-tools/server";
export {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type Transport,
} from "@modelcontextprotocol/server";
export { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
