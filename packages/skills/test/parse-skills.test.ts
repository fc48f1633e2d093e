import { parseSkills, SkillError } from "@authz/skills";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skill } from "./skill.js";

/** What a call returns or throws. */
function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

function without(member: keyof typeof skill): object {
  const { [member]: _left, ...rest } = skill;
  return rest;
}

const accepted: readonly { name: string; items: readonly object[] }[] = [
  { name: "nothing", items: [] },
  { name: "one skill", items: [skill] },
  {
    name: "a skill without what is optional",
    items: [
      { ...without("tags"), description: "Short." },
      { ...without("description"), id: "b" },
    ],
  },
  {
    name: "a visible skill without scopes",
    items: [{ ...skill, visibility: "DEFAULT", requiredScopes: [] }],
  },
  { name: "an id of one digit", items: [{ ...skill, id: "1" }] },
  {
    name: "a hundred skills",
    items: Array.from({ length: 100 }, (_, index) => ({ ...skill, id: `skill-${index}` })),
  },
  { name: "Markdown with tabs and line breaks", items: [{ ...skill, content: "# A\r\n\n\tcode — é 🔑\n" }] },
];

describe("a catalog may have", () => {
  test.each(accepted)("$name", ({ items }) => {
    expect(parseSkills(items)).toEqual(items);
  });
});

const refused: readonly { name: string; value: unknown; path: string }[] = [
  { name: "an object instead of a list", value: { items: [] }, path: "" },
  { name: "nothing at all", value: undefined, path: "" },
  { name: "something that is no skill", value: ["skill"], path: "[0]" },
  { name: "a hole", value: Array.from({ length: 1 }), path: "[0]" },
  { name: "no id", value: [without("id")], path: "[0].id" },
  { name: "an empty id", value: [{ ...skill, id: "" }], path: "[0].id" },
  { name: "an id in capitals", value: [{ ...skill, id: "List" }], path: "[0].id" },
  { name: "an id that starts with a hyphen", value: [{ ...skill, id: "-list" }], path: "[0].id" },
  { name: "an id with a dot", value: [{ ...skill, id: "a.b" }], path: "[0].id" },
  { name: "an id with a line break", value: [{ ...skill, id: "a\n" }], path: "[0].id" },
  { name: "an id of 101 characters", value: [{ ...skill, id: "a".repeat(101) }], path: "[0].id" },
  { name: "an id twice", value: [skill, { ...skill, title: "Again" }], path: "[1].id" },
  { name: "no title", value: [without("title")], path: "[0].title" },
  { name: "a title of spaces", value: [{ ...skill, title: "  " }], path: "[0].title" },
  { name: "a title of two lines", value: [{ ...skill, title: "a\nb" }], path: "[0].title" },
  { name: "a title with a line separator", value: [{ ...skill, title: "a\u2028b" }], path: "[0].title" },
  { name: "no scopes", value: [without("requiredScopes")], path: "[0].requiredScopes" },
  {
    name: "scopes as a string",
    value: [{ ...skill, requiredScopes: "contracts:read" }],
    path: "[0].requiredScopes",
  },
  {
    name: "a scope with a space",
    value: [{ ...skill, requiredScopes: ["a b"] }],
    path: "[0].requiredScopes[0]",
  },
  ...[
    "a:b;id",
    "a:$(id)",
    "a:{b,c}",
    "a:b|sh",
    "a:`id`",
    "a:b&",
    "A:b",
    "a",
    "a:b:c",
    "openid",
    `a:${"b".repeat(199)}`,
  ].map((scope) => ({
    name: `a scope that is no namespace:permission: ${scope.slice(0, 20)}`,
    value: [{ ...skill, requiredScopes: ["contracts:read", scope] }],
    path: "[0].requiredScopes[1]",
  })),
  { name: "another visibility", value: [{ ...skill, visibility: "PUBLIC" }], path: "[0].visibility" },
  { name: "no visibility", value: [without("visibility")], path: "[0].visibility" },
  { name: "no content", value: [without("content")], path: "[0].content" },
  { name: "empty content", value: [{ ...skill, content: "" }], path: "[0].content" },
  { name: "content with a NUL", value: [{ ...skill, content: "a\0" }], path: "[0].content" },
  {
    name: "content with an escape sequence",
    value: [{ ...skill, content: "\u001b[2J" }],
    path: "[0].content",
  },
  {
    name: "a description of 1025 characters",
    value: [{ ...skill, description: "x".repeat(1025) }],
    path: "[0].description",
  },
  { name: "a description that is null", value: [{ ...skill, description: null }], path: "[0].description" },
  { name: "tags that are no strings", value: [{ ...skill, tags: [1] }], path: "[0].tags[0]" },
  { name: "an unknown member", value: [{ ...skill, scopes: [] }], path: "[0]" },
  {
    name: "101 skills",
    value: Array.from({ length: 101 }, (_, index) => ({ ...skill, id: `s-${index}` })),
    path: "",
  },
  { name: "more than 1 MiB", value: [{ ...skill, content: "x".repeat(1024 * 1024) }], path: "" },
];

test.each([
  { value: {}, message: "The catalog must be a list." },
  { value: [without("title")], message: "[0].title is missing." },
  {
    value: [{ ...skill, scopes: [] }],
    message: '[0] has an unknown member "scopes". Known names: id, title,',
  },
])("the refusal says $message", ({ value, message }) => {
  expect(outcomeOf(() => parseSkills(value))).toMatchObject({
    message: expect.stringContaining(message) as unknown,
  });
});

describe("a catalog is refused when it has", () => {
  test.each(refused)("$name", ({ value, path }) => {
    const error = outcomeOf(() => parseSkills(value));
    expect(error).toBeInstanceOf(SkillError);
    expect(error).toMatchObject({ path, message: expect.stringMatching(/\w/) as unknown });
  });
});

test("what comes back is frozen and shares nothing with what went in", () => {
  const tags = ["a", "a"];
  const [parsed] = parseSkills([{ ...skill, tags }]);
  tags.push("b");
  expect(parsed?.tags).toEqual(["a"]);
  expect(
    Object.isFrozen(parsed) && Object.isFrozen(parsed?.tags) && Object.isFrozen(parsed?.requiredScopes),
  ).toBe(true);
});

test("any input is parsed or refused with a SkillError", () => {
  const almost = fc.record(Object.fromEntries(Object.keys(skill).map((name) => [name, fc.anything()])));
  const value = fc.oneof(fc.anything(), fc.array(almost), fc.array(fc.constant(skill)));
  fc.assert(
    fc.property(value, (input) => {
      const outcome = outcomeOf(() => parseSkills(input));
      expect(outcome instanceof SkillError || Array.isArray(outcome)).toBe(true);
    }),
  );
});
