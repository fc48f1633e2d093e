import { isJsonObject, JwsError, type JsonObject, parseStrictJson } from "@authz/dpop/jws";
import { MessageError, messageErrors } from "./message-error.js";

/** Longer than anything that a model writes. */
export const maximumMessageBytes = 1024 * 1024;

/**
 * Reads the one JSON-RPC message of a request. What parsers disagree about is refused before the library sees it: members that
 * are there twice, invalid Unicode, deep nesting.
 *
 * @throws {MessageError} 400; 413 for more than {@link maximumMessageBytes}
 */
export function readMessage(body: unknown): JsonObject {
  if (!Buffer.isBuffer(body) || body.length === 0)
    throw new MessageError(400, messageErrors.parse, "The request has no body. Send one JSON-RPC message.");
  let message: unknown;
  try {
    message = parseStrictJson(body);
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    throw new MessageError(400, messageErrors.parse, "The body is not unambiguous JSON.");
  }
  if (isJsonObject(message)) return message;
  throw new MessageError(
    400,
    messageErrors.invalidRequest,
    "Send one JSON-RPC message in each request. Batches are not accepted.",
  );
}
