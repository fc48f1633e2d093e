import type { Policy } from "@authz/verify";
import { describe, expect, test } from "vitest";
import { signDraft } from "../support/jwt.js";
import { accessTokenDraft, createWorld } from "../support/world.js";

const passing: readonly { name: string; policy: Policy }[] = [
  { name: "an empty policy", policy: {} },
  { name: "no scopes", policy: { scopes: [] } },
  { name: "the scope the token has", policy: { scopes: ["contracts:read"] } },
  {
    name: "any of two, of which the token has one",
    policy: { anyScopes: ["contracts:sign", "contracts:read"] },
  },
  { name: "both kinds", policy: { scopes: ["contracts:read"], anyScopes: ["contracts:read"] } },
];

describe("a token with contracts:read passes", () => {
  test.each(passing)("$name", async ({ policy }) => {
    const world = createWorld();
    const request = world.request({ token: signDraft(accessTokenDraft()) });
    await expect(world.authenticate(request, policy)).resolves.toBeDefined();
  });
});

const mistakes: readonly { name: string; policy: unknown; message: string }[] = [
  {
    name: "a scope that is not supported",
    policy: { scopes: ["contracts:raed"] },
    message: "contracts:raed",
  },
  {
    name: "a scope in a form that none has",
    policy: { scopes: ["contracts:readAll"] },
    message: 'names "contracts:readAll", which is not in supportedScopes',
  },
  { name: "an unknown member", policy: { scope: ["contracts:read"] }, message: '"scope"' },
  { name: "a string instead of a list", policy: { scopes: "contracts:read" }, message: "policy.scopes" },
  { name: "a list with something else", policy: { anyScopes: [1] }, message: "policy.anyScopes" },
  { name: "an empty list of alternatives", policy: { anyScopes: [] }, message: "policy.anyScopes" },
  { name: "a list instead of an object", policy: ["contracts:read"], message: "object" },
  { name: "null", policy: null, message: "object" },
];

describe("a policy is a TypeError that names the mistake when it has", () => {
  test.each(mistakes)("$name", ({ policy, message }) => {
    const { authz } = createWorld();
    expect(() => authz.definePolicy(policy as Policy)).toThrow(TypeError);
    expect(() => authz.definePolicy(policy as Policy)).toThrow(message);
  });
});

test("a policy that changes after it was defined stays what it was", async () => {
  const world = createWorld();
  const scopes = ["contracts:sign"];
  const policy = world.authz.definePolicy({ scopes });
  scopes.pop();
  expect(policy).toEqual({ scopes: ["contracts:sign"] });
  expect(world.authz.definePolicy(policy)).toBe(policy);
});
