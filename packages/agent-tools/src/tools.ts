import type { AgentCalls } from "./agent-calls.js";
import type { AgentConnection } from "./agent-connection.js";
import { answerPage } from "./answer-page.js";
import { toSafeJson } from "./clean-text.js";
import { foundDocument } from "./find-skills.js";
import { readSkill } from "./read-skill.js";

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments that a tool does not accept. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

/** As JSON Schema describes it. */
type Parameter = { type: string; items?: Parameter };

/** A tool as the Model Context Protocol describes it, and what it does. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; properties: Record<string, Parameter>; required?: string[] };
  annotations: {
    readOnlyHint: boolean;
    /** These two mean something for a tool that changes something. */
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint: boolean;
  };
  /** For a result that is small and directly useful to a program. */
  outputSchema?: { type: "object"; properties: Record<string, object>; required: string[] };
  /** The result: a text, or what `outputSchema` describes. */
  call: (calls: AgentCalls, args: Arguments, signal: AbortSignal) => Promise<string | object>;
}

const texts = { type: "object", additionalProperties: { type: "string" } } as const;

/** Asks the authorization server, which knows what there is. */
const READS = { readOnlyHint: true, openWorldHint: false } as const;

/** What an agent can do. Every host loads this before the first question, so it says only what the names do not. */
export const TOOLS: readonly Tool[] = [
  {
    name: "find_skills",
    title: "Find skills",
    description: "What services say they can do.",
    inputSchema: { type: "object", properties: { query: { type: "string" } } },
    annotations: READS,
    outputSchema: {
      type: "object",
      properties: {
        skills: texts,
        notAllowed: texts,
        others: { type: "object" },
        incomplete: { type: "array", items: { type: "string" } },
      },
      required: ["skills"],
    },
    call: async (calls, args) => foundDocument(await calls.skills(), optionalString(args, "query")),
  },
  {
    name: "read_skill",
    title: "Read a skill",
    description: "Reads a skill.",
    inputSchema: {
      type: "object",
      properties: { id: { type: "string" }, file: { type: "string" }, offset: { type: "integer" } },
      required: ["id"],
    },
    annotations: READS,
    call: async (calls, args) =>
      await readSkill(calls, {
        id: string(args, "id"),
        file: optionalString(args, "file"),
        offset: optionalOffset(args, "offset"),
      }),
  },
  {
    name: "list_connections",
    title: "List connections",
    description: "Third-party accounts.",
    inputSchema: { type: "object", properties: {} },
    annotations: READS,
    call: async (calls) =>
      toSafeJson((await calls.connections()).map((connection) => connectionSummary(connection, calls))),
  },
  {
    name: "request",
    title: "Call a service",
    description: "Calls a service (scopes: see skill) or connection. Adds credentials.",
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string" },
        method: { type: "string" },
        scopes: { type: "string" },
        headers: { type: "object" },
        body: { type: "string" },
        connection: { type: "string" },
        offset: { type: "integer" },
      },
      required: ["url"],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    call: callService,
  },
  {
    name: "explain",
    title: "Explain a permission",
    description: "Says why not; asks for it when ask says why.",
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string" },
        scopes: { type: "string" },
        connection: { type: "string" },
        ask: { type: "string" },
      },
      required: ["url"],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    outputSchema: {
      type: "object",
      properties: { verdict: { type: "string" } },
      required: ["verdict"],
    },
    call: explain,
  },
];

/** Explains, after asking an administrator when there is a reason. */
async function explain(calls: AgentCalls, args: Arguments): Promise<object> {
  const url = string(args, "url");
  const connection = optionalString(args, "connection");
  const scopes = optionalScopes(args, "scopes");
  const reason = optionalString(args, "ask");
  if (reason !== undefined) await calls.ask({ url, connection, scopes, reason });
  return await calls.explain({ url, connection, scopes });
}

async function callService(calls: AgentCalls, args: Arguments, signal: AbortSignal): Promise<string> {
  const url = string(args, "url");
  const body = optionalString(args, "body");
  const scopes = optionalScopes(args, "scopes");
  const connection = optionalString(args, "connection");
  const headers = optionalHeaders(args, "headers");
  if (body !== undefined && !headers.some(([name]) => name.toLowerCase() === "content-type"))
    headers.push(["content-type", "application/json"]);
  if (connection !== undefined && scopes !== undefined && scopes.length > 0)
    throw new InvalidArguments('"scopes" mean nothing with "connection". Leave them out.');
  // As with `authz request -d`.
  const method = optionalString(args, "method") ?? (body === undefined ? undefined : "POST");
  const isRepeatable = /^(?:GET|HEAD)$/i.test(method ?? "GET");
  const offset = optionalOffset(args, "offset");
  if (offset > 0 && !isRepeatable)
    throw new InvalidArguments('"offset" is for GET only: another request is not sent twice.');
  const answer = await calls.request({ url, connection, method, scopes, headers, body }, signal);
  return await answerPage(answer, { url: new URL(url), offset, isRepeatable });
}

/** What a model needs to know to use a connection, or to say what is missing. */
function connectionSummary(connection: AgentConnection, calls: AgentCalls): object {
  const { connector, name, state, account, requestPrefixes, methods, grantedScopes, missingScopes } =
    connection;
  return {
    connection: connector,
    name,
    state,
    account: account.label,
    requestPrefixes,
    methods,
    grantedScopes,
    missingScopes,
    ...(state === "connected" ? {} : { connect: calls.howToConnect(connection) }),
  };
}

function string(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value === "string") return value;
  throw new InvalidArguments(`"${name}" must be a string.`);
}

function optionalString(args: Arguments, name: string): string | undefined {
  return args[name] === undefined ? undefined : string(args, name);
}

function optionalOffset(args: Arguments, name: string): number {
  const value = args[name] ?? 0;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArguments(`"${name}" must be a whole number, as the page before says.`);
}

/** More than any API wants, and what servers accept in all. */
const MOST_HEADERS = 100;
const MOST_HEADER_BYTES = 16 * 1024;

function optionalHeaders(args: Arguments, name: string): [name: string, value: string][] {
  const value = args[name] ?? {};
  const entries = Object.entries(value);
  if (
    typeof value !== "object" ||
    Array.isArray(value) ||
    entries.some(([, item]) => typeof item === "object")
  )
    throw new InvalidArguments(`"${name}" must be an object: names and their values.`);
  const headers = entries.map(([header, item]): [string, string] => [header, String(item)]);
  const bytes = headers.reduce((sum, [header, text]) => sum + header.length + text.length, 0);
  if (headers.length > MOST_HEADERS || bytes > MOST_HEADER_BYTES)
    throw new InvalidArguments(`"${name}" may be at most ${String(MOST_HEADERS)}, with 16 KiB in all.`);
  return headers;
}

/** Separated by spaces, as OAuth writes them (RFC 6749 §3.3). Models also write lists. */
function optionalScopes(args: Arguments, name: string): readonly string[] | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (typeof value === "string") return value.split(" ").filter((scope) => scope !== "");
  if (Array.isArray(value) && value.every((item): item is string => typeof item === "string")) return value;
  throw new InvalidArguments(`"${name}" must be a string: scopes, separated by spaces.`);
}
