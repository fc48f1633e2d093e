import { paths } from "../../protocol/vocabulary.js";

/**
 * Where a third party sends the browser back to. Each connector has an address of its own, so that one third party cannot
 * pass an answer off as that of another (RFC 9700 §4.4.2.2); many of them do not name themselves in it (RFC 9207).
 */
export function callbackUrlOf(issuer: string, connectorKey: string): string {
  return `${issuer}${paths.connectionCallback}/${connectorKey}`;
}
