import { createHash } from "node:crypto";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { AgentAnswer, AgentCalls, Skill, SkillFileEntry, SkillGap } from "../src/index.js";
import { createServer } from "../src/server.js";

/** A failure that is foreseen. */
class Foreseen extends Error {}

/** What one person sees. */
export interface Seen {
  skills: Skill[];
  files: Map<string, Uint8Array>;
  incomplete: SkillGap[];
  instructions: string | undefined;
}

export function seen(change: Partial<Seen> = {}): Seen {
  return { skills: [], files: new Map(), incomplete: [], instructions: undefined, ...change };
}

export const skill = (id: string, change: Partial<Skill> = {}): Skill => ({
  id,
  title: `Title of ${id}`,
  description: undefined,
  tags: [],
  requiredScopes: [],
  allowed: true,
  resource: id.split(".")[0] ?? id,
  content: `# ${id}`,
  ...change,
});

export const digestOf = (bytes: string | Uint8Array): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export function entryOf(path: string, bytes: string | Uint8Array): SkillFileEntry {
  return { path, size: Buffer.from(bytes).length, digest: digestOf(bytes) };
}

/** An answer of a service at `https://a.example/`, whose body comes in pieces of at most so many bytes. */
export function answerOf(
  body: string | Uint8Array,
  { pieceBytes = Infinity, ...change }: Partial<AgentAnswer> & { pieceBytes?: number } = {},
): AgentAnswer {
  const bytes = Buffer.from(body);
  return {
    status: 200,
    headers: {},
    leftOut: [],
    problem: undefined,
    requestPrefixes: async () => ["https://a.example/things", "https://b.example"],
    read: async (take) => {
      let from = 0;
      while (from < bytes.length && take(bytes.subarray(from, from + pieceBytes))) from += pieceBytes;
    },
    ...change,
  };
}

/** What the tools need, for one person, without a server. */
export function callsFor({ skills, files, incomplete, instructions }: Seen): AgentCalls {
  const find = (id: string): Skill => {
    const found = skills.find((candidate) => candidate.id === id);
    if (found === undefined) throw new Foreseen(`There is no skill "${id}".`);
    return found;
  };
  return {
    issuer: "https://authz.example.com",
    skills: async () => ({ items: skills, incomplete, installation: { name: "Acme", instructions } }),
    skill: async (id) => find(id),
    skillFile: async (id, path) => {
      const bytes = find(id).files?.some((file) => file.path === path) && files.get(`${id} ${path}`);
      if (bytes === undefined || bytes === false) throw new Foreseen("There is no such file.");
      return bytes;
    },
    connections: async () => [],
    howToConnect: () => "",
    request: async () => answerOf(""),
    ask: async ({ scopes = [] }) => ({ state: "pending", scopes }),
    explain: async () => ({}),
  };
}

export interface RpcAnswer {
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** Asks as a host of the current revision does over HTTP, with a server for this one request. */
export async function askOverHttp(person: Seen, method: string, params: object = {}): Promise<RpcAnswer> {
  const handler = createMcpHandler(() =>
    createServer({
      version: "1",
      open: async () => callsFor(person),
      describe: (error) => (error instanceof Foreseen ? error.message : undefined),
    }),
  );
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: envelope } });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...("name" in params && { "mcp-name": String(params.name) }),
    ...("uri" in params && { "mcp-name": String(params.uri) }),
  };
  const answer = await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
  const text = await answer.text();
  await handler.close();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return JSON.parse(data) as RpcAnswer;
}

/** The text that a tool gives. */
export async function callTool(person: Seen, name: string, args: object): Promise<string> {
  const { result } = await askOverHttp(person, "tools/call", { name, arguments: args });
  const content = (result?.content ?? []) as { text: string }[];
  return content[0]?.text ?? "";
}
