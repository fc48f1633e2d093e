import { Agent, request } from "undici";
import { answerBytes } from "./protected-api.js";

/** A call that is ready to be sent. */
export interface PreparedCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The message of an agent; absent for a plain GET. */
  readonly body?: string;
}

const dispatcher = new Agent({ pipelining: 1, connections: 200 });
const wanted = "a".repeat(answerBytes);

/** Sends a call and reads all of its answer. @throws {Error} The answer is not the one that was asked for. */
export async function send({ url, headers, body }: PreparedCall): Promise<void> {
  const method = body === undefined ? "GET" : "POST";
  const answer = await request(url, { dispatcher, method, headers, body: body ?? null });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || !text.includes(wanted) || text.includes('"isError"'))
    throw new Error(`${url} answered with ${answer.statusCode}: ${text.slice(0, 400)}`);
}

/** A call of the tool `request`, as hosts of the revision 2025-11-25 make it. */
export function toolCall(mcpUrl: string, target: string, credentials: PreparedCall["headers"]): PreparedCall {
  return {
    url: mcpUrl,
    headers: {
      ...credentials,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "request", arguments: { url: target } },
    }),
  };
}

export async function closeClient(): Promise<void> {
  await dispatcher.close();
}
