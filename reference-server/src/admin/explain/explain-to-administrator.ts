import type { ServerContext } from "../../context.js";
import type { Decision, GrantingRule, MissingScope, NamedGroup } from "../../permissions/decide.js";
import { explain, ExplainError, type Explanation as Explained } from "../../permissions/explain.js";
import { systemScopes } from "../../store/system-scopes.js";
import { fault } from "../../objects/check.js";
import { invalid } from "../../registry/refusal.js";
import type { Explanation, Remedy } from "./schemas.js";

interface Question {
  readonly email: string;
  readonly resource: string | undefined;
  /** Absent: everything that the resource supports, or every scope of the server itself. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * Explains a person's permissions, with remedies for each missing scope.
 *
 * @throws {Refusal} There is no such resource or scope.
 */
export async function explainToAdministrator(
  { email, resource: key, scopes: asked }: Question,
  { store, directories }: Pick<ServerContext, "store" | "directories">,
): Promise<Explanation> {
  const resource = key === undefined ? undefined : await store.resources.findByKey(key);
  if (key !== undefined && resource === undefined) {
    throw invalid(fault("resource", "unknownResource"));
  }
  const scopes = asked ?? resource?.supportedScopes ?? systemScopes.map((scope) => scope.key);
  const explained = await ask({ email, resource: key, scopes }, { store, directories });
  const { person, allowed, granted, missing, login } = explained;
  const about = { userId: person.id, resource: explained.resource?.key };
  return {
    person,
    resource: explained.resource,
    allowed,
    granted: granted.map(showGranted),
    missing: missing.map((scope) => showMissing(scope, { ...about, groups: scope.groups })),
    login: {
      allowed: login.allowed,
      granted: login.granted.map(showGranted),
      missing: login.missing.map((scope) => showMissing(scope, { ...about, groups: [] })),
    },
  };
}

async function ask(
  question: Parameters<typeof explain>[0],
  sources: Parameters<typeof explain>[1],
): Promise<Explained> {
  try {
    return await explain(question, sources);
  } catch (error) {
    if (!(error instanceof ExplainError)) throw error;
    throw invalid(fault("scope", "noScope", { scope: error.unknownScopes }));
  }
}

function showGranted({ scope, by }: Decision["granted"][number]): Explanation["granted"][number] {
  return { scope, by: by.map(showRule) };
}

function showRule(rule: GrantingRule): Explanation["granted"][number]["by"][number] {
  return { ...rule };
}

interface About {
  readonly userId: string | null;
  readonly resource: string | undefined;
  /** The groups that have the scope. */
  readonly groups: readonly NamedGroup[];
}

function showMissing(missing: MissingScope, about: About): Explanation["missing"][number] {
  const { scope, reason, undecided = [] } = missing;
  return { scope, reason, undecided: [...undecided], remedies: remediesFor(missing, about) };
}

function remediesFor(missing: MissingScope, { userId, resource, groups }: About): Remedy[] {
  const { scope, reason, wouldBeGrantedBy, undecided = [] } = missing;
  switch (reason) {
    case "user_disabled":
      return userId === null ? [] : [{ type: "enable_person", userId }];
    case "resource_disabled":
      return resource === undefined ? [] : [{ type: "enable_resource", resource }];
    case "not_supported":
      return resource === undefined ? [] : [{ type: "support_scope", resource, scope }];
    case "not_assigned":
    case "directory_unavailable":
      return [
        ...providersOf(undecided).map((provider) => ({ type: "repair_directory" as const, provider })),
        ...(wouldBeGrantedBy === undefined
          ? []
          : [{ type: "assign" as const, email: wouldBeGrantedBy.email, scope }]),
        ...groups.map((group) => ({ type: "join_group" as const, group })),
      ];
    case "no_email":
    default:
      return [];
  }
}

function providersOf(groups: readonly NamedGroup[]): readonly string[] {
  return [...new Set(groups.map(({ provider }) => provider.key))];
}
