import {
  type ConnectionAnswer,
  connectionMessage,
  connectionVerdict,
  describeRequest,
} from "@authz/agent-tools";
import type { AuthzClient, AuthzClientError, ConnectionPlan } from "@authz/client";
import { exitCodes, exitCodeFor } from "../../exit-code.js";
import { adviceOn } from "../../messages/advice.js";
import { hintOf } from "../../messages/next-step.js";
import type { Fact } from "../../output/output.js";
import { quoted } from "@authz/skills/invisible";
import type { CommandContext } from "../command.js";
import { grantedWords } from "../connections/connection-words.js";
import { scopeMeansNothing } from "../request/through-connection.js";

/** Everything that is known about whether a request through a connection is allowed. */
export interface AnswerThrough extends ConnectionAnswer {
  plan: ConnectionPlan;
}

/** Asks the server now. The method is one that is allowed: the question is about the address. `hintFor` says what to do about a refusal. */
export async function loadAnswerThrough(
  client: AuthzClient,
  { url, connection }: { url: string; connection: string },
  hintFor: (refusal: AuthzClientError) => string,
): Promise<AnswerThrough> {
  const { methods } = await client.connections.get(connection);
  const [method] = methods;
  const asked = { connection, url, ...(method === undefined ? {} : { method }) };
  const [plan, me] = await Promise.all([client.connections.plan(asked), client.me()]);
  const { refusal } = plan;
  const obstacle = refusal && `${refusal.what} ${hintFor(refusal)}`;
  return { plan, connection: plan.connection, obstacle, me };
}

/** Explains whether a third party's address can be called through a connection, and what is in the way. */
export async function whyThrough(
  { output, invocation, offer }: CommandContext,
  client: AuthzClient,
  { url, connection, scope }: { url: string; connection: string; scope: readonly string[] },
): Promise<number> {
  if (scope.length > 0) throw scopeMeansNothing(connection);
  const answer = await loadAnswerThrough(client, { url, connection }, (refusal) =>
    hintOf(adviceOn(refusal), invocation),
  );
  const { plan } = answer;
  const { refusal } = plan;
  if (output.json) {
    output.data(documentThrough(answer));
  } else {
    output.text(connectionVerdict(answer));
    output.facts(factsOf(answer));
    if (plan.connection.requestable === true)
      output.note(`Ask for it: ${offer({ do: "ask", url, scopes: [] })}`);
  }
  return refusal === undefined ? exitCodes.ok : exitCodeFor(refusal.code);
}

/** The answer as JSON. */
function documentThrough(answer: AnswerThrough): object {
  const { connection, url, prefix, refusal } = answer.plan;
  const { connector, name, state, account, methods, grantedScopes, requiredScopes, missingScopes } =
    connection;
  return {
    url,
    allowed: refusal === undefined,
    connection: { connector, name, state, account },
    prefix,
    methods,
    grantedScopes,
    requiredScopes,
    missingScopes,
    verdict: connectionVerdict(answer),
    message: connectionMessage(answer) ?? null,
    requestable: answer.plan.connection.requestable ?? false,
    request: answer.plan.connection.request ?? null,
  };
}

function factsOf(answer: AnswerThrough): readonly Fact[] {
  const { connection, prefix } = answer.plan;
  const { connector, name, account, methods, requiredScopes } = connection;
  return [
    ["Third party", `${name} (${connector})`],
    ["Account", account.label === undefined ? undefined : quoted(account.label)],
    ["Rule", prefix],
    ["Methods", methods.join(", ")],
    ["Granted", grantedWords(connection).join(", ")],
    ["Needs", requiredScopes.length === 0 ? undefined : requiredScopes.join(", ")],
    ["Asked", answer.plan.connection.request && describeRequest(answer.plan.connection.request)],
    ["Tell them", connectionMessage(answer)],
  ];
}
