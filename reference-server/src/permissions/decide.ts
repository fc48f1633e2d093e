import type { Resource } from "../store/resources.js";
import {
  effectiveAssignments,
  effectiveScopes,
  isEmailAssignment,
  type Permissions,
} from "./effective-scopes.js";

/** The scopes that are wanted, at this resource or at the authorization server itself. */
export interface DecisionInput {
  readonly permissions: Permissions;
  readonly resource?: Pick<Resource, "key" | "enabled" | "supportedScopes">;
  readonly scopes: readonly string[];
}

/** The rule that grants a scope: an assignment to the address, or to a group that the person is in. */
export type GrantingRule =
  | (RuleOfAssignment & { readonly type: "email"; readonly email: string })
  | (RuleOfAssignment & { readonly type: "group"; readonly group: NamedGroup });

interface RuleOfAssignment {
  readonly assignmentId: string;
  /** When it ends, as ISO 8601; absent: never. */
  readonly until?: string;
}

/** A group, and the provider of its membership. */
export interface NamedGroup {
  readonly key: string;
  readonly provider: { readonly key: string; readonly name: string };
}

/** A scope that is granted, and the assignments that grant it. */
export interface GrantedScope {
  readonly scope: string;
  readonly by: readonly GrantingRule[];
}

/** `directory_unavailable`: a group may grant the scope, but its directory cannot say who is in it. */
export type MissingReason =
  | "user_disabled"
  | "no_email"
  | "resource_disabled"
  | "not_supported"
  | "not_assigned"
  | "directory_unavailable";

/** A scope that is refused, why, and the assignment that would grant it where one would. */
export interface MissingScope {
  readonly scope: string;
  readonly reason: MissingReason;
  readonly wouldBeGrantedBy?: { readonly type: "email"; readonly email: string; readonly scope: string };
  /** The groups whose directory cannot say whether the person is in them. */
  readonly undecided?: readonly NamedGroup[];
}

/** The answer, with its explanation. `allowed` means that every wanted scope is granted. */
export interface Decision {
  readonly allowed: boolean;
  readonly granted: readonly GrantedScope[];
  readonly missing: readonly MissingScope[];
}

/** Decides which of the wanted scopes a person has, and says why. */
export function decide(input: DecisionInput): Decision {
  const held = effectiveScopes(input.permissions);
  const granted: GrantedScope[] = [];
  const missing: MissingScope[] = [];
  for (const scope of new Set(input.scopes)) {
    const refusal = refuse(input, held, scope);
    if (refusal === undefined) granted.push({ scope, by: grantsOf(input.permissions, scope) });
    else missing.push(refusal);
  }
  return { allowed: missing.length === 0, granted, missing };
}

/** The scopes of a resource that a person has now. */
export function grantedScopes(
  permissions: Permissions,
  resource: Pick<Resource, "key" | "enabled" | "supportedScopes">,
): readonly string[] {
  return decide({ permissions, resource, scopes: resource.supportedScopes }).granted.map(
    ({ scope }) => scope,
  );
}

function refuse(input: DecisionInput, held: ReadonlySet<string>, scope: string): MissingScope | undefined {
  const { permissions, resource } = input;
  const { user } = permissions;
  if (!user.enabled) return { scope, reason: "user_disabled" };
  if (user.email === null) return { scope, reason: "no_email" };
  if (resource !== undefined && !resource.enabled) return { scope, reason: "resource_disabled" };
  if (resource !== undefined && !resource.supportedScopes.includes(scope))
    return { scope, reason: "not_supported" };
  if (held.has(scope)) return undefined;
  const wouldBeGrantedBy = { type: "email", email: user.email, scope } as const;
  const undecided = permissions.undecided
    .filter((assignment) => assignment.scope === scope)
    .map(({ group }) => nameOf(group));
  if (undecided.length === 0) return { scope, reason: "not_assigned", wouldBeGrantedBy };
  return { scope, reason: "directory_unavailable", wouldBeGrantedBy, undecided };
}

function grantsOf(permissions: Permissions, scope: string): readonly GrantingRule[] {
  return effectiveAssignments(permissions)
    .filter((assignment) => assignment.scope === scope)
    .map((assignment) => {
      const { id: assignmentId, expiresAt } = assignment;
      const ends = typeof expiresAt === "number" && { until: new Date(expiresAt * 1000).toISOString() };
      return isEmailAssignment(assignment)
        ? { type: "email", assignmentId, email: assignment.email, ...ends }
        : { type: "group", assignmentId, group: nameOf(assignment.group), ...ends };
    });
}

function nameOf({ key, provider }: NamedGroup): NamedGroup {
  return { key, provider: { key: provider.key, name: provider.name } };
}
