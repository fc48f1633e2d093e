import type { FetchLike } from "@modelcontextprotocol/client";
import type { AgentHost } from "../../tools/src/agent-host/host.js";
import { connectAgent } from "../../tools/src/agent-host/agent.js";

/** What a test does through a host, whichever SDK that uses. */
export interface TestAgent {
  listTools(): Promise<readonly string[]>;
  /** Calls a tool, and has the person asked for one more scope when it needs that. Returns the JSON of its answer. */
  call(tool: string, input?: Record<string, unknown>): Promise<unknown>;
  /** The same as it is: the first text, and whether it says that something did not happen. */
  callTool(tool: string, input?: Record<string, unknown>): Promise<ToolText>;
  close(): Promise<void>;
}

export interface ToolText {
  readonly text: string;
  readonly isError: boolean;
}

/** A host built on the present SDK. */
export async function connectPresentAgent(
  host: AgentHost,
  url: URL,
  network?: FetchLike,
): Promise<TestAgent & { callText(tool: string): Promise<string> }> {
  const agent = await connectAgent(host, url, network);
  return {
    listTools: async () => (await agent.client.listTools()).tools.map(({ name }) => name),
    call: async (tool, input) => readAnswer(await agent.call(tool, input)),
    callTool: async (tool, input) => readTool(await agent.call(tool, input)),
    callText: async (tool) => readText(await agent.call(tool)),
    close: () => agent.close(),
  };
}

/** The JSON in the first text of a tool's answer. */
export function readAnswer(result: unknown): unknown {
  return JSON.parse(readText(result));
}

/** The first text of a tool's answer. */
export function readTool(result: unknown): ToolText {
  const { isError } = result as { readonly isError?: boolean };
  return { text: readText(result), isError: isError === true };
}

function readText(result: unknown): string {
  const { content } = result as { readonly content: readonly { readonly text: string }[] };
  return content[0]?.text ?? "null";
}
