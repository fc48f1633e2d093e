/**
 * What we use of the SDK: a file of its own in the bundle, because only `authz mcp` loads it.
 *
 * @module
 */
export {
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Transport,
} from "@modelcontextprotocol/server";
export { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
