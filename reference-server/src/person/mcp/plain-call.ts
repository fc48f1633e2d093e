import type { IncomingHttpHeaders } from "node:http";
import { callTool, type ToolCall, type ToolSession, UnknownTool } from "@authz/agent-tools";
import { isJsonObject, type JsonObject } from "@authz/dpop/jws";
import { messageErrors } from "./message.js";

/** A call of a tool, with nothing else in the message. */
export interface PlainCall extends Pick<ToolCall, "name" | "arguments" | "progressToken"> {
  /** Of the JSON-RPC message. */
  readonly id: string | number;
}

/** Revisions of the protocol in which a call has this form. */
const revisions: ReadonlySet<string> = new Set(["2025-11-25", "2025-06-18", "2025-03-26"]);
/** Names in `_meta` that belong to the protocol itself. */
const reservedName = /^[^/]*\b(?:modelcontextprotocol|mcp)\b[^/]*\//;

/**
 * Reads a call as hosts of these revisions write it. `undefined` for every other message, and for every unusual call: the library
 * answers those.
 *
 * A second path beside the library, whose server, transport and two web streams per message cost 0.3 ms of CPU per call (measured
 * with 16 at a time), a fifth of a call. Both paths use `callTool`, and a test compares their answers byte for byte. Only known forms
 * are plain, so a later revision of the protocol is never answered by this path.
 */
export function readPlainCall(message: JsonObject, headers: IncomingHttpHeaders): PlainCall | undefined {
  const { jsonrpc, id, method, params, ...others } = message;
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isMessageId(id)) return undefined;
  if (!isPlainRequest(headers) || !isJsonObject(params) || Object.keys(others).length > 0) return undefined;
  const { name, arguments: args, _meta: meta = {}, ...more } = params;
  if (typeof name !== "string" || Object.keys(more).length > 0) return undefined;
  if ((args !== undefined && !isJsonObject(args)) || !isJsonObject(meta)) return undefined;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isMessageId(progressToken)) return undefined;
  if (Object.keys(meta).some((key) => reservedName.test(key))) return undefined;
  return { id, name, arguments: args, progressToken };
}

function isPlainRequest(headers: IncomingHttpHeaders): boolean {
  const { accept = "", "content-type": type = "", "mcp-protocol-version": revision } = headers;
  if (!accept.includes("application/json") || !accept.includes("text/event-stream")) return false;
  if (!/^application\/json(?:; ?charset=utf-8)?$/i.test(type)) return false;
  if (headers["mcp-method"] !== undefined || headers["mcp-name"] !== undefined) return false;
  return revision === undefined || (typeof revision === "string" && revisions.has(revision));
}

function isMessageId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Carries out a call, and returns the message that answers it. */
export async function answerPlainCall(
  call: PlainCall,
  session: ToolSession,
  { notify, signal }: Pick<ToolCall, "notify" | "signal">,
): Promise<object> {
  const { id, ...wanted } = call;
  try {
    return { result: await callTool({ ...wanted, notify, signal }, session), jsonrpc: "2.0", id };
  } catch (error) {
    if (!(error instanceof UnknownTool)) throw error;
    return { jsonrpc: "2.0", id, error: { code: messageErrors.invalidParams, message: error.message } };
  }
}
