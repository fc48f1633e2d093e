import type { AuthzClient } from "@authz/client";
import { cleanText, toSafeJson } from "../../output/clean-text.js";
import { failureOf, isSuccess } from "../request/judge-answer.js";
import { readAnswerBody } from "../request/read-answer.js";
import { findSkills } from "../skills/find-skills.js";
import { loadAnswer } from "../why/answer.js";
import { documentFor, verdict } from "../why/answer-text.js";
import { INVALID_PARAMS, RpcError } from "./json-rpc.js";

type Arguments = Readonly<Record<string, unknown>>;

/** A tool as the Model Context Protocol describes it, and what it does. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: object;
  annotations: object;
  call: (client: AuthzClient, args: Arguments) => Promise<string>;
}

const MAX_CHARACTERS = 100_000;
const texts = { type: "array", items: { type: "string" } } as const;

/** What an agent can do through `authz mcp`. */
export const TOOLS: readonly Tool[] = [
  {
    name: "find_skills",
    title: "Find skills",
    description:
      "Lists what the company's services can do for the signed-in person, all or those that match the words. Read a skill before using it.",
    inputSchema: {
      type: "object",
      properties: { query: { type: "string", description: "Words to look for" } },
    },
    annotations: { readOnlyHint: true },
    call: async (client, args) => {
      const all = await client.skills();
      const query = optionalText(args, "query");
      const found = query === undefined ? all : findSkills(all, query);
      return toSafeJson(
        found.map(({ id, title, description, allowed }) => ({ id, title, description, allowed })),
      );
    },
  },
  {
    name: "read_skill",
    title: "Read a skill",
    description: "Gives the instructions of one skill.",
    inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    annotations: { readOnlyHint: true },
    call: async (client, args) => cleanText((await client.skill(text(args, "id"))).content),
  },
  {
    name: "request",
    title: "Call a service",
    description:
      "Calls a registered service with the signed-in person's permissions and gives status and body. Credentials are added by authz and are never visible.",
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string", description: "Absolute address of a registered service" },
        method: { type: "string", description: "GET unless given" },
        scopes: { ...texts, description: "Permissions the request needs, as the skill says" },
        headers: { type: "object", additionalProperties: { type: "string" } },
        body: { type: "string" },
      },
      required: ["url"],
    },
    annotations: { readOnlyHint: false, openWorldHint: true },
    call: callService,
  },
  {
    name: "explain",
    title: "Explain a permission",
    description:
      "Says which service and rule cover an address, which of its permissions the person has and why, which are missing, and whom to ask.",
    inputSchema: {
      type: "object",
      properties: { url: { type: "string" }, scopes: texts },
      required: ["url"],
    },
    annotations: { readOnlyHint: true },
    call: async (client, args) => {
      const answer = await loadAnswer(client, text(args, "url"), textList(args, "scopes"));
      return toSafeJson({ verdict: verdict(answer), ...documentFor(answer) });
    },
  },
];

async function callService(client: AuthzClient, args: Arguments): Promise<string> {
  const url = text(args, "url");
  const method = optionalText(args, "method");
  const body = optionalText(args, "body");
  const scopes = textList(args, "scopes");
  const headers = Object.entries((args.headers ?? {}) as Record<string, unknown>).map(
    ([name, value]): [string, string] => [name, String(value)],
  );
  if (body !== undefined && !headers.some(([name]) => name.toLowerCase() === "content-type"))
    headers.push(["content-type", "application/json"]);
  const answer = await client.authorizedRequest({
    url,
    headers,
    hideCredentials: true,
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body }),
    ...(scopes === undefined ? {} : { scopes }),
  });
  const { status } = answer;
  const failure = isSuccess(answer) ? undefined : failureOf(answer, url);
  const read = await readAnswerBody(answer);
  const problem =
    failure === undefined ? undefined : { code: failure.code, message: failure.message, hint: failure.hint };
  const shown = toSafeJson({ status, problem, ...read });
  return shown.length <= MAX_CHARACTERS
    ? shown
    : `${shown.slice(0, MAX_CHARACTERS)}… (cut after ${String(MAX_CHARACTERS)} characters: ask for less)`;
}

function text(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value === "string") return value;
  throw new RpcError(INVALID_PARAMS, `"${name}" must be a text.`);
}

function optionalText(args: Arguments, name: string): string | undefined {
  return args[name] === undefined ? undefined : text(args, name);
}

function textList(args: Arguments, name: string): readonly string[] | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item): item is string => typeof item === "string")) return value;
  throw new RpcError(INVALID_PARAMS, `"${name}" must be a list of texts.`);
}
