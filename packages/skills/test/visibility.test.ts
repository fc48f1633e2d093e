import { isVisible, type Skill } from "@authz/skills";
import { describe, expect, test } from "vitest";
import { skill } from "./skill.js";

const cases: readonly { name: string; skill: Skill; scopes: readonly string[]; visible: boolean }[] = [
  { name: "who has the scope sees a hidden skill", skill, scopes: ["contracts:read"], visible: true },
  { name: "who lacks the scope does not", skill, scopes: ["contracts:write"], visible: false },
  {
    name: "who has one of two scopes does not",
    skill: { ...skill, requiredScopes: ["contracts:read", "contracts:write"] },
    scopes: ["contracts:read"],
    visible: false,
  },
  {
    name: "a hidden skill without scopes is visible to all callers",
    skill: { ...skill, requiredScopes: [] },
    scopes: [],
    visible: true,
  },
  {
    name: "a default skill is visible to all callers",
    skill: { ...skill, visibility: "DEFAULT" },
    scopes: [],
    visible: true,
  },
];

describe("visibility", () => {
  test.each(cases)("$name", ({ skill: subject, scopes, visible }) => {
    expect(isVisible(subject, new Set(scopes))).toBe(visible);
  });
});
