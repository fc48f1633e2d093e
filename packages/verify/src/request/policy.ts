import { isJsonObject } from "@authz/dpop/jws";
import type { Policy } from "../decision.js";
import { requireKnownMembers } from "../known-members.js";

/**
 * Checks a policy once and returns a frozen copy.
 *
 * @throws {TypeError} The message names the member and the remedy.
 */
function definePolicy(policy: unknown, supportedScopes: readonly string[]): Policy {
  if (!isJsonObject(policy)) {
    throw new TypeError('The policy must be an object such as { scopes: ["contracts:read"] }.');
  }
  requireKnownMembers("The policy", policy, ["scopes", "anyScopes"]);
  const { scopes, anyScopes } = policy;
  if (Array.isArray(anyScopes) && anyScopes.length === 0) {
    throw new TypeError("policy.anyScopes is empty, so nobody could pass. Name a scope, or leave it out.");
  }
  return Object.freeze({
    ...(scopes !== undefined && { scopes: checkScopes("scopes", scopes, supportedScopes) }),
    ...(anyScopes !== undefined && { anyScopes: checkScopes("anyScopes", anyScopes, supportedScopes) }),
  });
}

function checkScopes(member: string, scopes: unknown, supported: readonly string[]): readonly string[] {
  if (!isListOfStrings(scopes)) {
    throw new TypeError(`policy.${member} must be an array of scopes, such as ["contracts:read"].`);
  }
  for (const scope of scopes) {
    if (!supported.includes(scope)) {
      throw new TypeError(
        `policy.${member} names "${scope}", which is not in supportedScopes. Add it there, or correct the spelling.`,
      );
    }
  }
  return Object.freeze([...new Set(scopes)]);
}

function isListOfStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/**
 * The scopes that a refused caller needs; empty when the caller may pass. Includes the alternatives that the caller holds, so
 * that the next token meets the whole policy.
 */
export function missingScopes(policy: Policy, granted: ReadonlySet<string>): readonly string[] {
  const { scopes = none, anyScopes = none } = policy;
  const anyHeld = anyScopes.length === 0 || holdsAny(anyScopes, granted);
  if (anyHeld && holdsAll(scopes, granted)) return none;
  const alternatives = anyHeld ? anyScopes.filter((scope) => granted.has(scope)) : anyScopes;
  return [...new Set([...scopes, ...alternatives])];
}

const none: readonly string[] = Object.freeze([]);

function holdsAll(scopes: readonly string[], granted: ReadonlySet<string>): boolean {
  for (const scope of scopes) {
    if (!granted.has(scope)) return false;
  }
  return true;
}

function holdsAny(scopes: readonly string[], granted: ReadonlySet<string>): boolean {
  for (const scope of scopes) {
    if (granted.has(scope)) return true;
  }
  return false;
}

/** A checked policy with the scopes of its challenges. */
export interface CheckedPolicy {
  readonly policy: Policy;
  /** All scopes of the route, so that a client requests no more (RFC 6750 §3). */
  readonly scopes: readonly string[];
}

/** The policies of one service, each checked once. */
export interface Policies {
  /**
   * The checked form of a policy; without one, the policy that any valid authorization meets.
   *
   * @throws {TypeError} It names a scope that is not in `supportedScopes`, or has an unknown member.
   */
  get(policy: Policy | undefined): CheckedPolicy;
}

/** Caches checked policies for as long as the application keeps them. */
export function createPolicies(supportedScopes: readonly string[]): Policies {
  const anyCaller: Policy = Object.freeze({});
  const checked = new WeakMap<Policy, CheckedPolicy>();
  return {
    get(policy = anyCaller) {
      const known = checked.get(policy);
      if (known !== undefined) return known;
      const defined = definePolicy(policy, supportedScopes);
      const { scopes = [], anyScopes = [] } = defined;
      const entry = { policy: defined, scopes: Object.freeze([...new Set([...scopes, ...anyScopes])]) };
      checked.set(policy, entry);
      checked.set(defined, entry);
      return entry;
    },
  };
}
