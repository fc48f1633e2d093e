import {
  describeCallRule,
  describeRequest,
  describeRule,
  isAdministrator,
  isAllUndecided,
  messageFor,
  verdict,
} from "@authz/agent-tools";
import { exitCodes } from "../exit-code.js";
import type { Fact } from "../output/output.js";
import { openClient } from "../profile/open-client.js";
import { type CommandContext, type CommandTree, collect } from "./command.js";
import { type Answer, documentFor, loadAnswer } from "./why/answer.js";
import { connectionFor } from "./why/connection-for.js";

/** `authz why` */
export function addWhy({ add, action }: CommandTree): void {
  add("why <url>", "Explain whether a request is allowed: what is missing, and whom to ask.", [
    "authz why --scope contracts:write https://contracts.example.com/api/contracts",
    "authz why --connection github https://api.github.com/user/repos",
  ])
    .option("-s, --scope <scope>", "permission to ask about; all of the service unless given", collect, [])
    .option("--connection <name>", "ask about a request to a third party; found by the address unless given")
    .action(action(why));
}

/** Options of `authz why`. */
export interface WhyOptions {
  scope: readonly string[];
  connection?: string;
}

/** Explains whether a request would be allowed: which service and rule cover it, what is missing, and whom to ask. */
async function why(context: CommandContext, url: string, options: WhyOptions): Promise<number> {
  const { runtime, output, profile, offer } = context;
  const { client } = await openClient(runtime, profile);
  const { connection = await connectionFor(client, url, options) } = options;
  if (connection !== undefined) {
    const { whyThrough } = await import("./why/why-through.js");
    return await whyThrough(context, client, { url, connection, scope: options.scope });
  }
  const answer = await loadAnswer(client, url, options.scope);
  if (output.json) {
    output.data(documentFor(answer));
  } else {
    output.text(verdict(answer));
    output.facts(factsOf(answer));
    const { requestable, missing } = answer.explanation;
    const scopes = missing.map(({ scope }) => scope);
    if (requestable === true) output.note(`Ask for it: ${offer({ do: "ask", url, scopes })}`);
  }
  if (answer.explanation.allowed) return exitCodes.ok;
  return isAllUndecided(answer) ? exitCodes.unreachable : exitCodes.notAllowed;
}

function factsOf(answer: Answer): readonly Fact[] {
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
    ["You have", held.length === 0 ? ["no permission there"] : held],
    ["Would get", ways],
    ["Rules", (explanation.rules ?? []).map(describeCallRule)],
    ["Asked", explanation.request && describeRequest(explanation.request)],
    ["Tell them", isAdministrator(answer) ? undefined : messageFor(answer)],
  ];
}
