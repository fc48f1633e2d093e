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
export { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
