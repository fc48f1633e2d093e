import { definePolicy, type Policy } from "./policy.js";

/** The policies of one service, each checked once however many requests come with it. */
export interface Policies {
  /**
   * The checked form of a policy; without one, that which lets anybody with valid authorization pass.
   *
   * @throws {TypeError} It names a scope that is not in `supportedScopes`, or has an unknown member.
   */
  get(policy: Policy | undefined): Policy;
}

/** Remembers checked policies for as long as the application keeps them. */
export function createPolicies(supportedScopes: readonly string[]): Policies {
  const anybody: Policy = Object.freeze({});
  const checked = new WeakMap<Policy, Policy>();
  return {
    get(policy = anybody) {
      const known = checked.get(policy);
      if (known !== undefined) return known;
      const defined = definePolicy(policy, supportedScopes);
      checked.set(policy, defined);
      checked.set(defined, defined);
      return defined;
    },
  };
}
