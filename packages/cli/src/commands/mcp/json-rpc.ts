import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** A failure that is told to the caller as a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
export const INTERNAL_ERROR = -32_603;

export type RpcHandler = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;

interface Message {
  id?: string | number;
  method?: string;
  params: Readonly<Record<string, unknown>>;
}

/** Answers JSON-RPC 2.0 messages, one per line, until the input ends and every answer is written. */
export async function serveJsonRpc(
  { input, output }: { input: Readable; output: Writable },
  handle: RpcHandler,
): Promise<void> {
  const underway = new Set<Promise<void>>();
  const write = (message: object): void => {
    output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  // Without anybody who reads the answers there is nothing left to do.
  output.once("error", () => lines.close());
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const work: Promise<void> = answer(line, handle)
      .then((message) => (message === undefined ? undefined : write(message)))
      .finally(() => underway.delete(work));
    underway.add(work);
  }
  await Promise.all(underway);
}

/** The answer to one line; undefined for notifications and for answers to us. */
async function answer(line: string, handle: RpcHandler): Promise<object | undefined> {
  let message: Message | undefined;
  try {
    message = parseMessage(JSON.parse(line));
  } catch {
    return { id: null, error: { code: PARSE_ERROR, message: "The line is not JSON." } };
  }
  if (message === undefined)
    return { id: null, error: { code: INVALID_REQUEST, message: "Not a JSON-RPC message." } };
  const { id, method, params } = message;
  if (id === undefined || method === undefined) return undefined;
  try {
    return { id, result: await handle(method, params) };
  } catch (error) {
    const code = error instanceof RpcError ? error.code : INTERNAL_ERROR;
    return { id, error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}

function parseMessage(value: unknown): Message | undefined {
  if (!isObject(value) || value.jsonrpc !== "2.0") return undefined;
  const { id, method, params } = value;
  return {
    ...(typeof id === "string" || typeof id === "number" ? { id } : {}),
    ...(typeof method === "string" ? { method } : {}),
    params: isObject(params) ? params : {},
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
