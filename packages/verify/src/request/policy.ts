import { isScope } from "@authz/skills";

/** What a route asks of its caller, beyond valid authorization. */
export interface Policy {
  /** All of these are needed. */
  readonly scopes?: readonly string[];
  /** At least one of these is needed. */
  readonly anyScopes?: readonly string[];
}

const members = new Set(["scopes", "anyScopes"]);

/**
 * Checks a policy once and returns a frozen copy.
 *
 * @throws {TypeError} The message names the member and what to do.
 */
export function definePolicy(policy: Policy, supportedScopes: readonly string[]): Policy {
  if (typeof policy !== "object" || policy === null || Array.isArray(policy)) {
    throw new TypeError('The policy must be an object such as { scopes: ["contracts:read"] }.');
  }
  for (const name of Object.keys(policy)) {
    if (!members.has(name)) {
      throw new TypeError(`The policy has an unknown member "${name}". Known are scopes and anyScopes.`);
    }
  }
  const { scopes, anyScopes } = policy;
  if (anyScopes !== undefined && Array.isArray(anyScopes) && anyScopes.length === 0) {
    throw new TypeError("policy.anyScopes is empty, so nobody could pass. Name a scope, or leave it out.");
  }
  return Object.freeze({
    ...(scopes !== undefined && { scopes: checkScopes("scopes", scopes, supportedScopes) }),
    ...(anyScopes !== undefined && { anyScopes: checkScopes("anyScopes", anyScopes, supportedScopes) }),
  });
}

function checkScopes(
  member: string,
  scopes: readonly string[],
  supported: readonly string[],
): readonly string[] {
  if (!Array.isArray(scopes) || !scopes.every(isScope)) {
    throw new TypeError(`policy.${member} must be an array of scopes.`);
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

/**
 * Which scopes a caller needs who may not pass: of alternatives those that it has, so that what it gets next is enough.
 * Empty when the caller may pass.
 */
export function missingScopes(policy: Policy, granted: ReadonlySet<string>): readonly string[] {
  const { scopes = [], anyScopes = [] } = policy;
  const anyHeld = anyScopes.length === 0 || anyScopes.some((scope) => granted.has(scope));
  if (anyHeld && scopes.every((scope) => granted.has(scope))) return [];
  const alternatives = anyHeld ? anyScopes.filter((scope) => granted.has(scope)) : anyScopes;
  return [...new Set([...scopes, ...alternatives])];
}
