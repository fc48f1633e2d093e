/** Codes of JSON-RPC 2.0 §5.1. */
export const messageErrors = {
  parse: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internal: -32_603,
} as const;

/** A request to the address for agents is refused before any tool is looked for. */
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

/** The answer to a message that is not served; nobody knows its id. */
export function messageErrorBody(code: number, message: string): object {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}
