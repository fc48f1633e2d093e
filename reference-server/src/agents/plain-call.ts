import type { IncomingHttpHeaders } from "node:http";
import { callTool, type ToolCall, type ToolSession, UnknownTool } from "@authz/agent-tools";
import { isJsonObject, type JsonObject } from "@authz/dpop/jws";
import { messageErrors } from "./message-error.js";

/** A call of a tool that says nothing but that. */
export interface PlainCall extends Pick<ToolCall, "name" | "arguments" | "progressToken"> {
  /** Of the JSON-RPC message. */
  readonly id: string | number;
}

/** Revisions of the protocol in which a call looks like this. */
const revisions: ReadonlySet<string> = new Set(["2025-11-25", "2025-06-18", "2025-03-26"]);
/** Names in `_meta` that belong to the protocol itself. */
const reservedName = /^[^/]*\b(?:modelcontextprotocol|mcp)\b[^/]*\//;

/**
 * Reads a call as hosts of these revisions write it. `undefined` for every other message, and for every call of which there is any
 * doubt: the library answers those, or says what is wrong with them.
 */
export function readPlainCall(message: JsonObject, headers: IncomingHttpHeaders): PlainCall | undefined {
  const { jsonrpc, id, method, params, ...others } = message;
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isNameOfMessage(id)) return undefined;
  if (!isPlainRequest(headers) || !isJsonObject(params) || Object.keys(others).length > 0) return undefined;
  const { name, arguments: args, _meta: meta = {}, ...more } = params;
  if (typeof name !== "string" || Object.keys(more).length > 0) return undefined;
  if ((args !== undefined && !isJsonObject(args)) || !isJsonObject(meta)) return undefined;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isNameOfMessage(progressToken)) return undefined;
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

function isNameOfMessage(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Carries a call out; the message that answers it. */
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
