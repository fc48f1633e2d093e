import { isJsonObject, JwsError, type JsonObject, parseStrictJson } from "@authz/dpop/jws";
import { MessageError, messageErrors } from "./message-error.js";

/** Longer than anything that a model writes. */
export const maximumMessageBytes = 1024 * 1024;

/** More than any call needs whose body is a text; each costs time in every layer that looks at a message. */
const maximumValues = 5_000;

/**
 * Reads the one JSON-RPC message of a request. What parsers disagree about is refused before the library sees it: members that
 * are there twice, invalid Unicode, deep nesting, and, before anything is parsed, more members and items than a message needs.
 *
 * @throws {MessageError} 400; 413 for more than {@link maximumMessageBytes}
 */
export function readMessage(body: unknown): JsonObject {
  if (!Buffer.isBuffer(body) || body.length === 0)
    throw new MessageError(400, messageErrors.parse, "The request has no body. Send one JSON-RPC message.");
  if (hasTooManyValues(body))
    throw new MessageError(
      400,
      messageErrors.invalidRequest,
      `A message may have at most ${String(maximumValues)} members and items. Send a long body as a string.`,
    );
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

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const brace = 0x7b;
const bracket = 0x5b;

/** Every member and item but the first stands behind a comma, and the first in an object or a list. */
function hasTooManyValues(json: Buffer): boolean {
  let values = 0;
  let inString = false;
  for (let at = 0; json.length > maximumValues && at < json.length; at += 1) {
    const byte = json[at];
    if (inString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma || byte === brace || byte === bracket) {
      values += 1;
      if (values > maximumValues) return true;
    }
  }
  return false;
}
