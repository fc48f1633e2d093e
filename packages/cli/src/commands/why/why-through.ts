import { describeRequest, personOf, thirdPartyWords } from "@authz/agent-tools";
import type { AuthzClient, AuthzClientError, ConnectionPlan, Me } from "@authz/client";
import { EXIT, exitCodeFor } from "../../exit-code.js";
import { adviceOn } from "../../messages/advice.js";
import { hintOf } from "../../messages/next-step.js";
import type { Fact } from "../../output/output.js";
import { quoted } from "@authz/skills/invisible";
import type { CommandContext } from "../command.js";
import { grantedWords } from "../connections/connection-words.js";
import { scopeMeansNothing } from "../request/through-connection.js";

/** Words what to do about a failure, for whoever reads it. */
export type WordHint = (failure: AuthzClientError) => string;

/** Everything that is known about whether a request through a connection is allowed. */
export interface AnswerThrough {
  plan: ConnectionPlan;
  me: Me;
}

/** Asks the server now. The method is one that is allowed: it is the address that the question is about. */
export async function loadAnswerThrough(
  client: AuthzClient,
  url: string,
  connection: string,
): Promise<AnswerThrough> {
  const { methods } = await client.connections.get(connection);
  const [method] = methods;
  const asked = { connection, url, ...(method === undefined ? {} : { method }) };
  const [plan, me] = await Promise.all([client.connections.plan(asked), client.me()]);
  return { plan, me };
}

/** Explains whether a third party's address can be called through a connection, and what is in the way. */
export async function whyThrough(
  { output, invocation, offer }: CommandContext,
  client: AuthzClient,
  { url, connection, scope }: { url: string; connection: string; scope: readonly string[] },
): Promise<number> {
  if (scope.length > 0) throw scopeMeansNothing(connection);
  const answer = await loadAnswerThrough(client, url, connection);
  const { plan } = answer;
  const { refusal } = plan;
  const wordHint: WordHint = (failure) => hintOf(adviceOn(failure), invocation);
  if (output.json) {
    output.data(documentThrough(answer, wordHint));
  } else {
    output.text(verdictThrough(answer, wordHint));
    output.facts(factsOf(answer));
    if (plan.connection.requestable === true)
      output.note(`Ask for it: ${offer({ do: "ask", url, scopes: [] })}`);
  }
  return refusal === undefined ? EXIT.ok : exitCodeFor(refusal.code);
}

/** The answer as JSON. */
function documentThrough(answer: AnswerThrough, wordHint: WordHint): object {
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
    verdict: verdictThrough(answer, wordHint),
    message: messageFor(answer) ?? null,
    requestable: answer.plan.connection.requestable ?? false,
    request: answer.plan.connection.request ?? null,
  };
}

/** The answer for a model: what the third party says about the account stands apart from our verdict. */
export function briefThrough(answer: AnswerThrough, wordHint: WordHint): object {
  const { connection, refusal } = answer.plan;
  const asks = connection.requestable === true;
  return {
    verdict: verdictThrough(answer, wordHint),
    message: asks ? undefined : messageFor(answer),
    asked: connection.request && describeRequest(connection.request),
    next: asks ? "ask" : undefined,
    thirdParty: refusal === undefined ? thirdPartyWords(connection) : undefined,
  };
}

function verdictThrough({ plan: { connection, refusal }, me }: AnswerThrough, wordHint: WordHint): string {
  const { name, missingScopes } = connection;
  if (refusal === undefined)
    return `You may do this, with ${connection.methods.join(", ")}: your account at ${name} is connected.`;
  if (missingScopes.length === 0) return `${refusal.what} ${wordHint(refusal)}`;
  const missing = `${missingScopes.join(", ")} ${missingScopes.length > 1 ? "are" : "is"} missing`;
  return `${missing} to use ${name}. Ask an administrator of ${me.installation.name}.`;
}

/** What to tell the administrator, ready to be passed on; undefined when nothing is to be given. */
function messageFor({ plan: { connection }, me }: AnswerThrough): string | undefined {
  const { missingScopes, name } = connection;
  if (missingScopes.length === 0) return undefined;
  const permissions = `permission${missingScopes.length > 1 ? "s" : ""} ${missingScopes.join(", ")}`;
  return `Please give ${personOf(me)} the ${permissions}, to use ${name}.`;
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
    ["Tell them", messageFor(answer)],
  ];
}
