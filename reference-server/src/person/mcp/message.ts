import { isJsonObject, JwsError, type JsonObject, parseStrictJson } from "@authz/dpop/jws";

/** Codes of JSON-RPC 2.0 §5.1. */
export const messageErrors = {
  parse: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internal: -32_603,
} as const;

/** A request to the address for agents is refused before a tool is looked up. */
export class MessageError extends Error {
  override readonly name = "MessageError";
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The answer to a message that is not served; its id is not known. */
export function messageErrorBody({ code, message }: MessageError): object {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}

/** Longer than any message that a model writes. */
export const maximumMessageBytes = 1024 * 1024;

/** More than a call needs whose body is a string; each member costs time in every layer that reads a message. */
const maximumValues = 5_000;

/**
 * Reads the one JSON-RPC message of a request. What parsers disagree about is refused before the library sees it: repeated members,
 * invalid Unicode, deep nesting; and, before parsing, more members and items than a message needs.
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

/** Each member and item follows a comma, or opens an object or a list. */
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
