import { quoted } from "@authz/skills/invisible";
import type { AgentCalls } from "./agent-calls.js";
import { type AgentConnection, thirdPartyWords } from "./agent-connection.js";
import { answerPage } from "./answer-page.js";
import { toSafeJson } from "./clean-text.js";
import { foundDocument } from "./find-skills.js";
import { readSkill } from "./read-skill.js";

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments that a tool does not accept; the message says what to write instead. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

/** As JSON Schema describes it. */
type Parameter = { type: string; description?: string };

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
const reads = { readOnlyHint: true, openWorldHint: false } as const;

/** What an agent can do. Every host loads this before the first question, so it says only what the names do not. */
export const agentTools: readonly Tool[] = [
  {
    name: "find_skills",
    title: "Find skills",
    description: "Lists the company's services as skills. Start here.",
    inputSchema: { type: "object", properties: { query: { type: "string" } } },
    annotations: reads,
    outputSchema: {
      type: "object",
      properties: {
        descriptions: { type: "string" },
        skills: texts,
        notAllowed: texts,
        otherSkills: { type: "object" },
        incomplete: { type: "array", items: { type: "string" } },
      },
      required: ["skills"],
    },
    call: async (calls, args) => foundDocument(await calls.skills(), optionalString(args, "query")),
  },
  {
    name: "read_skill",
    title: "Read a skill",
    description: "How to call a service. Where it says `authz request`, use the request tool.",
    inputSchema: {
      type: "object",
      properties: { id: { type: "string" }, file: { type: "string" }, offset: { type: "integer" } },
      required: ["id"],
    },
    annotations: reads,
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
    description: "The person's accounts at third parties; use one with `connection`.",
    inputSchema: { type: "object", properties: {} },
    annotations: reads,
    // An object, because hosts take a result that is JSON for structured content, which has to be one.
    call: async (calls) => {
      const connections = await calls.connections();
      return toSafeJson({ connections: connections.map((each) => connectionSummary(each, calls)) });
    },
  },
  {
    name: "request",
    title: "Call a service",
    description:
      "Calls a service with the scopes of its skill, or a third party with `connection`. Adds credentials.",
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string" },
        method: { type: "string" },
        scopes: { type: "string", description: "separated by spaces" },
        headers: { type: "object" },
        body: { type: "string", description: "or an object" },
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
    description: "Says why a call is denied and who can allow it.",
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string" },
        scopes: { type: "string" },
        connection: { type: "string" },
        ask: { type: "string", description: "Your reason: asks them to allow it." },
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
  const body = optionalBody(args, "body");
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
  const isKnown = account.label !== undefined || grantedScopes.length > 0;
  return {
    connection: connector,
    name,
    state,
    requestPrefixes,
    methods,
    missingScopes,
    ...(state === "connected" ? {} : { connect: calls.howToConnect(connection) }),
    ...(isKnown && { thirdParty: thirdPartyWords(connection) }),
  };
}

/** What models call an argument that has another name here. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  query: ["q", "search", "keywords", "words", "text"],
  id: ["skill", "skillid", "name"],
  file: ["path", "filename"],
  url: ["uri", "address", "endpoint", "link"],
  method: ["verb", "httpmethod"],
  scopes: ["scope", "permission", "permissions"],
  headers: ["header"],
  body: ["data", "json", "payload", "content", "form"],
  connection: ["connector", "account", "provider"],
  offset: ["start", "position"],
  ask: ["reason", "why", "message"],
};

/**
 * Refuses an argument that a tool does not have, because a call without it would mean something else. Hosts give a tool without arguments one
 * of their own; it changes nothing.
 *
 * @throws {InvalidArguments}
 */
export function refuseUnknown(args: Arguments, { name, inputSchema }: Tool): void {
  const known = Object.keys(inputSchema.properties);
  const unknown = Object.keys(args).find((argument) => !known.includes(argument));
  if (unknown === undefined || known.length === 0) return;
  const plain = unknown.toLowerCase().replaceAll(/[_-]/g, "");
  const right = known.find((argument) => argument === plain || otherNames[argument]?.includes(plain));
  const use = right === undefined ? "" : `: use "${right}"`;
  throw new InvalidArguments(
    `${name} has no argument ${quoted(unknown, 50)}${use}. It takes ${known.join(", ")}.`,
  );
}

function string(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value === "string") return value;
  throw new InvalidArguments(`"${name}" must be a string.`);
}

function optionalString(args: Arguments, name: string): string | undefined {
  return args[name] === undefined ? undefined : string(args, name);
}

/** A text is sent as it is, an object as JSON: models write both. */
function optionalBody(args: Arguments, name: string): string | undefined {
  const value = args[name];
  if (typeof value === "object" && value !== null) return JSON.stringify(value, refuseRounded);
  const text = optionalString(args, name);
  if (text === undefined || !/^@\S+$/.test(text)) return text;
  throw new InvalidArguments(
    `"${name}" is sent as it is; no file is read. Write the content of ${quoted(text.slice(1), 100)} in "${name}", or run \`authz request -d ${quoted(text, 100)}\` in a shell.`,
  );
}

/** Parsers of JSON round such a number: another one would be sent than was written. */
function refuseRounded(_name: string, value: unknown): unknown {
  if (typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new InvalidArguments('"body" has a number that is rounded in an object. Write "body" as text.');
}

function optionalOffset(args: Arguments, name: string): number {
  const value = args[name] ?? 0;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArguments(`"${name}" must be a whole number, as the page before says.`);
}

/** More than any API wants, and what servers accept in all. */
const mostHeaders = 100;
const mostHeaderBytes = 16 * 1024;

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
  if (headers.length > mostHeaders || bytes > mostHeaderBytes)
    throw new InvalidArguments(`"${name}" may be at most ${String(mostHeaders)}, with 16 KiB in all.`);
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
