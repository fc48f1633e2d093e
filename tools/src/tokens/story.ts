import { connectAgent } from "../agent-host/agent.js";
import { startAgentHost } from "../agent-host/host.js";
import type { AuthzCommand } from "../demo/authz-command.js";
import { signIn } from "../demo/sign-in.js";
import { originOf, type Settings } from "../development/settings.js";
import { ReadableError } from "../readable-error.js";
import { Browser } from "../scriptless/browser.js";

/** What an agent reads and writes in one step. */
export interface Part {
  readonly step: string;
  readonly text: string;
}

/** How long all of it is. */
export function charactersOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { text }) => sum + text.length, 0);
}

const skill = "contracts-express.list-contracts";
const words = "list contracts express";
const customer = '{"customer":"Acme"}';
const read = "contracts:read";
const write = "contracts:write";

/** The story with the command: what the agent types, and what it gets to read on stdout and stderr. */
export async function tellByCommand(settings: Settings, authz: AuthzCommand): Promise<readonly Part[]> {
  const url = contractsOf(settings);
  const steps: readonly (readonly [step: string, expected: string, ...args: string[]])[] = [
    ["find", skill, "skills", "find", ...words.split(" ")],
    ["read", "# List contracts", "skills", "show", skill],
    ["call", "C-1001", "request", "--scope", read, url],
    ["denied", "scope_not_granted", "request", "-X", "POST", "--scope", write, "-d", customer, url],
    ["why", "bruno@acme.example", "why", "--scope", write, url],
  ];
  const parts: Part[] = [];
  for (const [step, expected, ...args] of steps) {
    const { stdout, stderr } = await authz.read([...args, "--agent"]);
    parts.push(part(step, expected, `authz ${args.map(quoted).join(" ")} --agent\n${stdout}${stderr}`));
  }
  return parts;
}

/** The story with the tools: what a host loads before the first question, then each call and its answer. */
export async function tellByMcp(settings: Settings, authz: AuthzCommand): Promise<readonly Part[]> {
  const calls = callsOf(settings, "scope_not_granted");
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "tokens", version: "1" },
  };
  const messages = [
    { id: "initialize", method: "initialize", params: initialize },
    { method: "notifications/initialized" },
    { id: "tools", method: "tools/list" },
    ...calls.map(({ step, name, args }) => ({
      id: step,
      method: "tools/call",
      params: { name, arguments: args },
    })),
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const { stdout } = await authz.read(["mcp"], input);
  const answers = new Map(
    stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Answer)
      .map(({ id, result }) => [id, result]),
  );
  return [
    ...loadedParts(answers.get("initialize")?.instructions, answers.get("tools")?.tools ?? []),
    ...calls.map((call) => callPart(call, answers.get(call.step)?.content ?? [])),
  ];
}

/** The same story with the tools at the one address for every agent, through the MCP client of the protocol's own SDK. */
export async function tellByEndpoint(settings: Settings): Promise<readonly Part[]> {
  const open = (address: URL) => signIn(new Browser(), address, { person: "ada" });
  const host = await startAgentHost({ name: "Tokens", open });
  try {
    const agent = await connectAgent(host, new URL("/mcp", originOf(settings, "server")));
    const { tools } = await agent.client.listTools();
    const parts = [...loadedParts(agent.client.getInstructions(), tools)];
    for (const call of callsOf(settings, "insufficient_scope")) {
      const { content } = await agent.call(call.name, call.args);
      parts.push(callPart(call, content as readonly { readonly text: string }[]));
    }
    await agent.close();
    return parts;
  } finally {
    await host.close();
  }
}

/** A call of a tool, and what its answer must say. */
interface Call {
  readonly step: string;
  readonly expected: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** @param denial - how what is not allowed is called */
function callsOf(settings: Settings, denial: string): readonly Call[] {
  const url = contractsOf(settings);
  const creating = { url, method: "POST", scopes: [write], body: customer };
  return [
    { step: "find", expected: skill, name: "find_skills", args: { query: words } },
    { step: "read", expected: "# List contracts", name: "read_skill", args: { id: skill } },
    { step: "call", expected: "C-1001", name: "request", args: { url, scopes: [read] } },
    { step: "denied", expected: denial, name: "request", args: creating },
    { step: "why", expected: "bruno@acme.example", name: "explain", args: { url, scopes: [write] } },
  ];
}

/** What a host loads before the first question. */
function loadedParts(instructions: string | undefined, tools: readonly Tool[]): readonly Part[] {
  const shown = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name, description, inputSchema }),
  );
  return [part("instructions", "skill", instructions ?? ""), part("tools", "find_skills", shown.join("\n"))];
}

function callPart({ step, expected, name, args }: Call, content: readonly { readonly text: string }[]): Part {
  const said = content.map(({ text }) => text).join("\n");
  return part(step, expected, `${name} ${JSON.stringify(args)}\n${said}`);
}

interface Tool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

/** What we read of an answer of the server. */
interface Answer {
  readonly id: string;
  readonly result?: {
    readonly instructions?: string;
    readonly tools?: readonly Tool[];
    readonly content?: readonly { readonly text: string }[];
  };
}

function contractsOf(settings: Settings): string {
  return `${originOf(settings, "express")}/api/contracts`;
}

/** @throws {ReadableError} The step did not come to what it is measured for. */
function part(step: string, expected: string, text: string): Part {
  if (text.includes(expected)) return { step, text };
  throw new ReadableError(`The step "${step}" does not say "${expected}":\n${text}`);
}

/** An argument as it stands in a shell. */
function quoted(arg: string): string {
  return /^[\w:/.-]+$/.test(arg) ? arg : `'${arg}'`;
}
