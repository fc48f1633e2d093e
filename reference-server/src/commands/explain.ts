import { Command } from "commander";
import type { GrantingRule, MissingReason, NamedGroup } from "../permissions/decide.js";
import { type Explanation, explain } from "../permissions/explain.js";
import { loginScope } from "../store/system-scopes.js";
import type { CommandHost } from "./command-host.js";

interface ExplainOptions {
  readonly email: string;
  readonly resource?: string;
  readonly scope: readonly string[];
  readonly json?: true;
}

/** Creates `authz-server explain`: why a person has a permission now, or lacks it. */
export function createExplainCommand({
  withReader,
  print,
}: Pick<CommandHost, "withReader" | "print">): Command {
  return new Command("explain")
    .description("say which assignment grants a scope to a person, or what is missing")
    .requiredOption("--email <address>", "the person")
    .option("--resource <key>", "the resource; this server itself when absent")
    .requiredOption("--scope <scope...>", "what the person wants")
    .option("--json", "print JSON")
    .action(({ email, resource, scope: scopes, json }: ExplainOptions) =>
      withReader(async ({ store, directories }) => {
        const explanation = await explain({ email, resource, scopes }, { store, directories });
        print(json ? `${JSON.stringify(explanation, null, 2)}\n` : formatExplanation(explanation));
      }),
    );
}

type Missing = Explanation["missing"][number];

/** Writes an explanation in words, one line per fact. */
function formatExplanation(explanation: Explanation): string {
  const { person, resource, granted, missing, login } = explanation;
  const name = person.name === null ? "" : ` (${person.name})`;
  const where = resource === null ? "this server" : `${resource.name} (${resource.key})`;
  const lines = [`${person.email}${name} at ${where}`];
  if (person.id === null) {
    lines.push("  has never signed in with this address, so no sign-in provider has named any groups");
  }
  for (const { scope, by } of granted) {
    lines.push(`${scope}: granted`, ...by.map((rule) => `  by the assignment to ${describeRule(rule)}`));
  }
  for (const scope of missing)
    lines.push(`${scope.scope}: ${stateOf(scope)}`, ...adviseOn(scope).map((line) => `  ${line}`));
  const asked = [...granted, ...missing].some(({ scope }) => scope === loginScope);
  const [withoutLogin] = asked ? [] : login.missing;
  if (withoutLogin !== undefined) {
    lines.push(
      `${loginScope}: ${stateOf(withoutLogin)}`,
      "  and without it the command-line client gets no assertion for any resource",
    );
  }
  return `${lines.join("\n")}\n`;
}

/** A scope that only an unavailable directory could grant is unknown, not missing. */
function stateOf({ reason }: Pick<Missing, "reason">): string {
  return reason === "directory_unavailable" ? "unknown" : "missing";
}

function describeRule(rule: GrantingRule): string {
  const whom = rule.type === "email" ? rule.email : describeGroup(rule.group);
  return rule.until === undefined ? whom : `${whom}, until ${rule.until}`;
}

function describeGroup({ key, provider }: NamedGroup): string {
  return `the group ${key} of ${provider.name} (${provider.key})`;
}

/** Reasons that no assignment could change. */
const obstacles: Readonly<Record<Exclude<MissingReason, "not_assigned" | "directory_unavailable">, string>> =
  {
    user_disabled: "the person is disabled, so no assignment counts",
    no_email: "the address now belongs to somebody else, so no assignment counts",
    resource_disabled: "the resource is disabled",
    not_supported: "the resource does not support this scope",
  };

function adviseOn(missing: Missing): readonly string[] {
  const { reason, undecided = [] } = missing;
  if (reason === "not_assigned") return ["no assignment grants it", ...waysToGrant(missing)];
  if (reason !== "directory_unavailable") return [obstacles[reason]];
  const groups = undecided.map(describeGroup).join(" and ");
  return [`${groups} would grant it, but the directory cannot say who is in it now`, ...waysToGrant(missing)];
}

function waysToGrant({ wouldBeGrantedBy, groups }: Missing): readonly string[] {
  return [
    ...(wouldBeGrantedBy === undefined
      ? []
      : [`would be granted by an assignment to ${wouldBeGrantedBy.email}`]),
    ...groups.map((group) => `would be granted by membership in ${describeGroup(group)}`),
  ];
}
