import type { GroupDirectories } from "../../permissions/groups/directories.js";
import { loadMemberships } from "../../permissions/roles.js";
import type { Assignee } from "../../registry/assignment.js";
import type { Store } from "../../store/store.js";
import { decides, hasRole } from "../door/access.js";
import type { Caller } from "../door/call.js";
import { AdminRefusal } from "../door/refusals.js";

/** A scope of somebody, or for somebody. */
interface Decided {
  readonly email?: string | null | undefined;
  readonly group?: Assignee["group"] | null;
  readonly scope: string;
}

export interface DecidingSources {
  readonly store: Pick<Store, "groupProviders" | "users">;
  readonly directories: GroupDirectories;
}

/** `own`: it is the caller's own, by their address or by a group that they are in; `unknown`: it may be. */
type Verdict = "decidable" | "foreign" | "own" | "unknown";

/**
 * Says which of these an owner may give and take: scopes that they decide for, and none of their own. Administrators decide about
 * everything. Directories are asked.
 */
export async function judge(
  decided: readonly Decided[],
  caller: Caller,
  sources: DecidingSources,
): Promise<(one: Decided) => Verdict> {
  if (hasRole(caller, "administrator")) return () => "decidable";
  // Machines own nothing, so they decide for no scope.
  if (caller.type !== "user") return () => "foreign";
  const { user } = caller;
  const providers = [...new Set(decided.flatMap(({ group }) => group?.provider ?? []))];
  const isMember = await loadMemberships(user, providers, sources);
  return ({ email, group, scope }) => {
    if (!decides(caller, scope)) return "foreign";
    if (typeof email === "string") return email === user.email ? "own" : "decidable";
    const member = group !== undefined && group !== null ? isMember(group) : false;
    if (member === undefined) return "unknown";
    return member ? "own" : "decidable";
  };
}

/**
 * Call it before a change as well, so that the one inside of it has the answers of directories.
 *
 * @throws {AdminRefusal} `forbidden`: one of these is not for the caller to give and take.
 */
export async function requireDecides(
  decided: readonly Decided[],
  caller: Caller,
  sources: DecidingSources,
): Promise<void> {
  const verdictOn = await judge(decided, caller, sources);
  const refused = decided.map((one) => ({ ...one, verdict: verdictOn(one) }));
  const foreign = [...new Set(refused.flatMap(({ verdict, scope }) => (verdict === "foreign" ? scope : [])))];
  if (foreign.length > 0) {
    throw new AdminRefusal("forbidden", "notDecidable", { scopes: foreign, count: foreign.length });
  }
  if (refused.some(({ verdict }) => verdict === "own")) throw ownDecision();
  const unknown = refused.find(({ verdict }) => verdict === "unknown");
  if (unknown === undefined) return;
  throw new AdminRefusal("forbidden", "membershipUnknown", { group: unknown.group?.key ?? "" });
}

/** Nobody decides about themselves. */
export function ownDecision(): AdminRefusal {
  return new AdminRefusal("forbidden", "ownDecision");
}
