import { connectAgent } from "../agent-host/agent.js";
import { startAgentHost } from "../agent-host/host.js";
import { originOf, type Settings } from "../development/settings.js";
import { Browser } from "../scriptless/browser.js";
import type { Narrator } from "./narrators.js";
import type { AgentHostResult } from "./result.js";
import { signIn } from "./sign-in.js";

/**
 * Adds the MCP server to an agent host that knows nothing but its address: the MCP client of the protocol's own SDK, as it is. Ada signs in
 * at its word, and it gets what she may do, and no more.
 */
export async function visitMcpServer(
  settings: Settings,
  narrator: Narrator,
): Promise<Omit<AgentHostResult, "may_write">> {
  const url = new URL("/mcp", originOf(settings, "mcp"));
  const stranger = await fetch(url, { method: "POST" });
  await stranger.arrayBuffer();
  narrator.line(`  ${stranger.status}  without signing in`);
  const browser = new Browser();
  const host = await startAgentHost({
    name: "Agent host of the demonstration",
    open: async (address) => {
      for (const title of await signIn(browser, address, { person: "ada" }))
        narrator.line(`  page: ${title}`);
    },
  });
  try {
    const agent = await connectAgent(host, url);
    const { tools } = await agent.client.listTools();
    const names = tools.map(({ name }) => name);
    narrator.line(`  tools: ${names.join(", ")}`);
    const { content } = await agent.call("list_contracts");
    const [first] = content;
    const answer: unknown = first?.type === "text" ? JSON.parse(first.text) : undefined;
    narrator.line("  list_contracts: answered, with Ada's permission to read");
    const written = await agent.call("create_contract", { customer: "Acme" }).then(
      () => true,
      () => false,
    );
    narrator.line(
      `  create_contract: ${written ? "answered, with one more scope" : "asked for one more scope, which Ada does not have"}`,
    );
    await agent.close();
    return { unauthenticated: stranger.status, tools: names, answer, written };
  } finally {
    await host.close();
  }
}
