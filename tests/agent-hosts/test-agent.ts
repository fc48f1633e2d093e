import type { AgentHost } from "../../tools/src/agent-host/host.js";
import { connectAgent } from "../../tools/src/agent-host/agent.js";

/** What a test does through a host, whichever SDK that uses. */
export interface TestAgent {
  listTools(): Promise<readonly string[]>;
  /** Calls a tool, and has the person asked for one more scope when it needs that. Returns the JSON of its answer. */
  call(tool: string, input?: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

/** A host built on the present SDK. */
export async function connectPresentAgent(
  host: AgentHost,
  url: URL,
): Promise<TestAgent & { callText(tool: string): Promise<string> }> {
  const agent = await connectAgent(host, url);
  return {
    listTools: async () => (await agent.client.listTools()).tools.map(({ name }) => name),
    call: async (tool, input) => readAnswer(await agent.call(tool, input)),
    callText: async (tool) => readText(await agent.call(tool)),
    close: () => agent.close(),
  };
}

/** The JSON in the first text of a tool's answer. */
export function readAnswer(result: unknown): unknown {
  return JSON.parse(readText(result));
}

function readText(result: unknown): string {
  const { content } = result as { readonly content: readonly { readonly text: string }[] };
  return content[0]?.text ?? "null";
}
