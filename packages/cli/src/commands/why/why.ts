import { type AuthzClient, AuthzClientError } from "@authz/client";
import { EXIT } from "../../exit-code.js";
import { openClient } from "../../session/open-client.js";
import type { CommandContext } from "../command.js";
import { type Answer, loadAnswer } from "./answer.js";
import {
  describeRule,
  documentFor,
  isAdministrator,
  isAllUndecided,
  messageFor,
  verdict,
} from "./answer-text.js";

/** Options of `authz why`. */
export interface WhyOptions {
  scope: readonly string[];
  connection?: string;
}

/** Explains whether a request would be allowed: which service and rule cover it, what is missing, and whom to ask. */
export async function why(context: CommandContext, url: string, options: WhyOptions): Promise<number> {
  const { surroundings, output, profile } = context;
  const { client } = await openClient(surroundings, profile);
  const { connection = await connectionFor(client, url, options) } = options;
  if (connection !== undefined) {
    const { whyThrough } = await import("./why-through.js");
    return await whyThrough(context, client, { url, connection, scope: options.scope });
  }
  const answer = await loadAnswer(client, url, options.scope);
  if (output.json) {
    output.data(documentFor(answer));
  } else {
    output.text(verdict(answer));
    output.facts(factsOf(answer));
  }
  if (answer.explanation.allowed) return EXIT.ok;
  return isAllUndecided(answer) ? EXIT.unreachable : EXIT.notAllowed;
}

/** The connection that covers an address which no service covers. Without one, the service's own refusal says more. */
async function connectionFor(
  client: AuthzClient,
  url: string,
  { scope }: WhyOptions,
): Promise<string | undefined> {
  if (scope.length > 0) return undefined;
  try {
    await client.resourceFor(url);
    return undefined;
  } catch (error) {
    if (!(error instanceof AuthzClientError) || error.code !== "url_not_registered") throw error;
    if (error.connection === undefined) throw error;
    return error.connection;
  }
}

function factsOf(answer: Answer): (readonly [label: string, value: string | undefined])[] {
  const { plan, explanation } = answer;
  const { resource, prefix } = plan;
  const granted = explanation.granted.map(
    ({ scope, by }) => `${scope}, by ${by.map(describeRule).join(" and ")}`,
  );
  const others = resource.grantedScopes.filter((scope) => !plan.scopes.includes(scope));
  const held = [...granted, ...(others.length === 0 ? [] : [others.join(", ")])];
  const ways = explanation.missing
    .filter(({ wouldBeGrantedBy }) => wouldBeGrantedBy.length > 0)
    .map(({ scope, wouldBeGrantedBy }) => `${scope}, by ${wouldBeGrantedBy.map(describeRule).join(" or ")}`);
  return [
    ["Service", `${resource.name} (${resource.key})`],
    ["Rule", prefix],
    ...lines("You have", held.length === 0 ? ["no permission there"] : held),
    ...lines("Would get", ways),
    ["Tell them", isAdministrator(answer) ? undefined : messageFor(answer)],
  ];
}

/** One label for several lines. */
function lines(label: string, values: readonly string[]): (readonly [string, string])[] {
  return values.map((value, index) => [index === 0 ? label : "", value]);
}
