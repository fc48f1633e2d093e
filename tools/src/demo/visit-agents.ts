import type { CallToolResult } from "@modelcontextprotocol/client";
import { type Agent, connectAgent } from "../agent-host/agent.js";
import { startAgentHost } from "../agent-host/host.js";
import { originOf, type Settings } from "../development/settings.js";
import { Browser } from "../scriptless/browser.js";
import type { Narrator } from "./narrators.js";
import type { AgentsResult } from "./result.js";
import { signIn } from "./sign-in.js";

const skill = "contracts-express.list-contracts";

/**
 * Adds the one address for every agent to an agent host that knows nothing else: the MCP client of the protocol's own SDK, as it is. Ada
 * signs in once, and it finds and uses what she may, and learns why it may not do more.
 */
export async function visitAgents(
  settings: Settings,
  narrator: Narrator,
): Promise<Omit<AgentsResult, "may_write">> {
  const url = new URL("/mcp", originOf(settings, "server"));
  const stranger = await fetch(url, { method: "POST" });
  await stranger.arrayBuffer();
  narrator.line(`  ${stranger.status}  without signing in`);
  const host = await startAgentHost({
    name: "Agent host of the demonstration",
    open: async (address) => {
      for (const title of await signIn(new Browser(), address, { person: "ada" }))
        narrator.line(`  page: ${title}`);
    },
  });
  try {
    const agent = await connectAgent(host, url);
    const result = await play(agent, { settings, narrator });
    await agent.close();
    return { unauthenticated: stranger.status, ...result };
  } finally {
    await host.close();
  }
}

async function play(
  agent: Agent,
  { settings, narrator }: { readonly settings: Settings; readonly narrator: Narrator },
): Promise<Omit<AgentsResult, "unauthenticated" | "may_write">> {
  const contracts = `${originOf(settings, "express")}/api/contracts`;
  const call = async (tool: string, input: Record<string, unknown>) =>
    readTool(await agent.call(tool, input));

  const found = await call("find_skills", { query: "list contracts express" });
  narrator.line(`  find_skills: ${found.text.includes(skill) ? skill : "did not find it"}`);
  const read = await call("read_skill", { id: skill });
  narrator.line("  read_skill: what the service says about it, as data");
  const answered = await call("request", { url: contracts, scopes: ["contracts:read"] });
  narrator.line("  request: answered, with Ada's permission to read");
  const denied = await call("request", {
    url: contracts,
    method: "POST",
    scopes: ["contracts:write"],
    body: '{"customer":"Acme"}',
  });
  narrator.line(`  request: ${denied.isError ? "refused, because Ada may not write" : "answered"}`);
  const why = await call("explain", { url: contracts, scopes: ["contracts:write"] });
  narrator.line(`  explain: ${why.text}`);
  return {
    found: found.text.includes(skill),
    read: read.text.includes("# List contracts"),
    answer: bodyOf(answered.text),
    denied: denied.isError,
    why: why.text,
  };
}

function readTool({ content, isError }: CallToolResult): {
  readonly text: string;
  readonly isError: boolean;
} {
  const [first] = content;
  return { text: first?.type === "text" ? first.text : "", isError: isError === true };
}

function bodyOf(text: string): unknown {
  const answer: unknown = JSON.parse(text);
  return typeof answer === "object" && answer !== null && "body" in answer ? answer.body : undefined;
}
