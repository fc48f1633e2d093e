import type { AuthzClient, TransportAnswer } from "@authz/client";
import {
  type AgentAnswer,
  type AgentCalls,
  type AgentRequest,
  briefFor,
  connectionBrief,
} from "@authz/agent-tools";
import { adviceOn } from "../../messages/advice.js";
import type { CliError } from "../../messages/cli-error.js";
import type { CommandContext } from "../command.js";
import { connectStep } from "../connections/connection-words.js";
import { answeredRequest, failureOf, isSuccess } from "../request/failure.js";
import { forConnection } from "../request/through-connection.js";
import { loadAnswer } from "../why/answer.js";
import { askFor } from "../why/ask-for.js";
import { loadAnswerThrough } from "../why/why-through.js";
import { toolHint } from "./tool-hint.js";

/** Does what the tools need with the session of this computer. */
export function clientCalls(client: AuthzClient, { runtime, invocation, offer }: CommandContext): AgentCalls {
  return {
    skills: async () => await client.skillList(),
    issuer: client.issuer,
    skill: async (id) => await client.skill(id),
    getReady: ({ resource, requiredScopes }) => {
      client.prepare([{ resource, scopes: requiredScopes }]).catch(leaveToTheCall);
    },
    skillFile: async (id, path) => await client.skillFile(await client.skill(id), path),
    connections: async () => await client.connections.list(),
    howToConnect: (connection) => offer(connectStep(connection)),
    explain: async ({ url, connection, scopes }) => {
      if (connection !== undefined)
        return connectionBrief(
          await loadAnswerThrough(client, { url, connection }, (refusal) =>
            toolHint(adviceOn(refusal), invocation),
          ),
        );
      return briefFor(await loadAnswer(client, url, scopes));
    },
    ask: async ({ url, connection, scopes = [], reason }) =>
      await askFor(client, { url, connection, scopes, reason }),
    request: async (request, signal) => {
      const { answer, failure } = await send(client, request, { signal, clock: runtime.clock });
      const { status, headers } = answer;
      return {
        status,
        headers,
        leftOut: [],
        problem: failure && problemOf(failure),
        requestPrefixes: async () => await prefixesOf(client, request),
        read: async (take) => {
          for await (const piece of answer.body) if (!take(piece)) break;
          answer.discard();
        },
      };
    },
  };

  function problemOf(failure: CliError): AgentAnswer["problem"] {
    const { code, message, quote } = failure;
    return { code, message, quote, hint: toolHint(failure, invocation) };
  }
}

function leaveToTheCall(): void {
  // It says what is wrong.
}

async function prefixesOf(
  client: AuthzClient,
  { url, connection, method = "GET" }: AgentRequest,
): Promise<readonly string[]> {
  if (connection === undefined) return (await client.resourceFor(url)).requestPrefixes;
  return (await client.connections.plan({ url, connection, method })).connection.requestPrefixes;
}

/** Sends a request where it is meant to go. Credentials that a service repeats are covered: a model reads the answer. */
async function send(
  client: AuthzClient,
  { connection, url, method, scopes, headers, body }: AgentRequest,
  { signal, clock }: { signal: AbortSignal; clock: () => number },
): Promise<{ answer: TransportAnswer; failure: CliError | undefined }> {
  const built = {
    url,
    headers,
    signal,
    hideCredentials: true,
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body }),
    ...(scopes === undefined ? {} : { scopes }),
  };
  if (connection === undefined) {
    const answer = await client.authorizedRequest(built);
    const failure = isSuccess(answer)
      ? undefined
      : failureOf(answer, await answeredRequest(client, built, clock()));
    return { answer, failure };
  }
  const answer = await client.connections.request(forConnection(built, connection));
  const asked = { url, method: method ?? "GET", connection, now: clock() };
  return { answer, failure: isSuccess(answer) ? undefined : failureOf(answer, asked) };
}
