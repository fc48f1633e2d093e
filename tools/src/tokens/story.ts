import type { AuthzCommand } from "../demo/authz-command.js";
import { originOf, type Settings } from "../development/settings.js";
import { ReadableError } from "../readable-error.js";

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
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as an agent does
    const { stdout, stderr } = await authz.read([...args, "--agent"]);
    parts.push(part(step, expected, `authz ${args.map(quoted).join(" ")} --agent\n${stdout}${stderr}`));
  }
  return parts;
}

/** The story with the tools: what a host loads before the first question, then each call and its answer. */
export async function tellByMcp(settings: Settings, authz: AuthzCommand): Promise<readonly Part[]> {
  const url = contractsOf(settings);
  const calls: readonly (readonly [step: string, expected: string, name: string, args: object])[] = [
    ["find", skill, "find_skills", { query: words }],
    ["read", "# List contracts", "read_skill", { id: skill }],
    ["call", "C-1001", "request", { url, scopes: [read] }],
    ["denied", "scope_not_granted", "request", { url, method: "POST", scopes: [write], body: customer }],
    ["why", "bruno@acme.example", "explain", { url, scopes: [write] }],
  ];
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "tokens", version: "1" },
  };
  const messages = [
    { id: "initialize", method: "initialize", params: initialize },
    { method: "notifications/initialized" },
    { id: "tools", method: "tools/list" },
    ...calls.map(([id, , name, args]) => ({ id, method: "tools/call", params: { name, arguments: args } })),
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
  const tools = (answers.get("tools")?.tools ?? []).map(({ name, description, inputSchema }) =>
    JSON.stringify({ name, description, inputSchema }),
  );
  return [
    part("instructions", "skill", answers.get("initialize")?.instructions ?? ""),
    part("tools", "find_skills", tools.join("\n")),
    ...calls.map(([step, expected, name, args]) => {
      const said = (answers.get(step)?.content ?? []).map(({ text }) => text).join("\n");
      return part(step, expected, `${name} ${JSON.stringify(args)}\n${said}`);
    }),
  ];
}

/** What we read of an answer of the server. */
interface Answer {
  readonly id: string;
  readonly result?: {
    readonly instructions?: string;
    readonly tools?: readonly {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: object;
    }[];
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
