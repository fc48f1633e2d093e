import { definePolicy, type Policy } from "./policy.js";

/** A policy that was checked, with what its challenges say. */
export interface CheckedPolicy {
  readonly policy: Policy;
  /** Every scope that the route asks for, so that a client asks for no more (RFC 6750 §3). */
  readonly scopes: readonly string[];
}

/** The policies of one service, each checked once however many requests come with it. */
export interface Policies {
  /**
   * The checked form of a policy; without one, that which lets anybody with valid authorization pass.
   *
   * @throws {TypeError} It names a scope that is not in `supportedScopes`, or has an unknown member.
   */
  get(policy: Policy | undefined): CheckedPolicy;
}

/** Remembers checked policies for as long as the application keeps them. */
export function createPolicies(supportedScopes: readonly string[]): Policies {
  const anybody: Policy = Object.freeze({});
  const checked = new WeakMap<Policy, CheckedPolicy>();
  return {
    get(policy = anybody) {
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
