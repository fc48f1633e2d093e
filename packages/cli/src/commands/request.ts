import type { AuthorizedRequest, TransportAnswer } from "@authz/client";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";
import { writeBody } from "../output/write-body.js";
import { openClient } from "../session/open-client.js";
import type { CommandContext } from "./command.js";
import { readRequestBody } from "./request-body.js";

/** Options of `authz request`. */
export interface RequestCommandOptions {
  method?: string;
  scope: readonly string[];
  header: readonly string[];
  data?: string;
}

/** Calls a registered service with the permissions of the person who signed in. */
export async function request(
  context: CommandContext,
  url: string,
  options: RequestCommandOptions,
): Promise<number> {
  const { surroundings, output, profile } = context;
  const { client } = await openClient(surroundings, profile);
  const answer = await client.authorizedRequest(await buildRequest(context, url, options));
  if (output.json) output.data(await describeAnswer(answer, url));
  else await writeBody(answer, surroundings);
  return judge(answer, url);
}

async function buildRequest(
  { surroundings }: CommandContext,
  url: string,
  options: RequestCommandOptions,
): Promise<AuthorizedRequest> {
  const headers = options.header.map(parseHeader);
  const has = (name: string): boolean => headers.some(([given]) => given.toLowerCase() === name);
  const body = options.data === undefined ? undefined : await readRequestBody(options.data, surroundings);
  if (body !== undefined && !has("content-type")) headers.push(["content-type", body.contentType]);
  if (!has("accept")) headers.push(["accept", "application/json, */*;q=0.5"]);
  if (!has("user-agent")) headers.push(["user-agent", "authz-cli"]);
  return {
    url,
    method: options.method ?? (body === undefined ? "GET" : "POST"),
    headers,
    scopes: options.scope,
    ...(body === undefined ? {} : { body: body.bytes }),
  };
}

function parseHeader(text: string): [name: string, value: string] {
  const colon = text.indexOf(":");
  if (colon > 0) return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  throw new CliError("usage", {
    what: `"${text}" is not a header.`,
    hint: 'Write it like this: -H "Accept: application/json"',
    exitCode: EXIT.usage,
  });
}

/** The stable JSON form of an answer. */
async function describeAnswer(answer: TransportAnswer, url: string): Promise<Record<string, unknown>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { status, headers } = answer;
  return { status, url, headers, ...describeBody(bytes, headers["content-type"] ?? "") };
}

function describeBody(bytes: Buffer, contentType: string): Record<string, unknown> {
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) return { body: null, bodyBase64: bytes.toString("base64") };
  if (/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType)) {
    try {
      return { body: JSON.parse(text) as unknown };
    } catch {
      return { body: text };
    }
  }
  return { body: text };
}

/** An answer that is not 2xx is a failure, told on stderr after the body went to stdout. */
function judge({ status, headers }: TransportAnswer, url: string): number {
  if (status >= 200 && status < 300) return EXIT.ok;
  const { host } = new URL(url);
  if (status === 401 || status === 403) {
    throw new CliError("service_refused", {
      what: `${host} did not allow the request (${String(status)}).`,
      why: refusalReason(headers["www-authenticate"] ?? ""),
      hint: "See your permissions: authz scopes. Ask an administrator if one is missing.",
      exitCode: EXIT.notAllowed,
    });
  }
  if (status >= 300 && status < 400) {
    throw new CliError("service_failed", {
      what: `${host} answered with a redirect (${String(status)}), which authz does not follow.`,
      why: `It points to ${headers.location ?? "nowhere"}. Credentials go only to addresses you name yourself.`,
      hint: "If that address is right, run the request on it.",
      exitCode: EXIT.failure,
    });
  }
  throw new CliError("service_failed", {
    what: `${host} answered ${String(status)}.`,
    hint: "Its answer above says more. Correct the request, or try again later.",
    exitCode: EXIT.failure,
  });
}

function refusalReason(challenge: string): string {
  const scope = /\bscope="([^"]*)"/.exec(challenge)?.[1];
  if (scope !== undefined) return `It needs these permissions: ${scope.split(" ").join(", ")}.`;
  const error = /\berror="([^"]*)"/.exec(challenge)?.[1];
  return error === undefined ? "It gave no reason." : `It says: ${error}.`;
}
