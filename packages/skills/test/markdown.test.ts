import { renderSkillFile, renderSkillMarkdown, skillDigest } from "@authz/skills";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { skill } from "./skill.js";

function frontMatterOf(markdown: string): { [key: string]: unknown } {
  const [, frontMatter = ""] = /^---\n([\s\S]*?)\n---\n\n/.exec(markdown) ?? [];
  return parse(frontMatter) as { [key: string]: unknown };
}

describe("SKILL.md", () => {
  test("has front matter, then the content, and one line break at the end", () => {
    expect(renderSkillMarkdown(skill)).toBe(
      [
        "---",
        "name: list-contracts",
        'description: "Lists the contracts of a customer."',
        "metadata:",
        '  title: "List contracts"',
        '  required-scopes: "contracts:read"',
        '  tags: "contracts"',
        "---",
        "",
        "Run `authz request --scope contracts:read https://contracts.example.com/api/contracts`.",
        "",
      ].join("\n"),
    );
  });

  test("uses the title when there is no description, and leaves out tags when there are none", () => {
    const { description: _description, tags: _tags, ...rest } = skill;
    expect(frontMatterOf(renderSkillMarkdown(rest))).toEqual({
      name: "list-contracts",
      description: "List contracts",
      metadata: { title: "List contracts", "required-scopes": "contracts:read" },
    });
  });

  test.each([undefined, {}])("has no field for the metadata %j", (metadata) => {
    const file = renderSkillFile({
      name: "a",
      description: "b",
      content: "c",
      ...(metadata && { metadata }),
    });
    expect(frontMatterOf(file)).toEqual({ name: "a", description: "b" });
  });

  test.each([
    'quotes " and \\ backslashes',
    "a: b # c",
    "---",
    "{ [ & * ! | > ' % @ `",
    "no",
    "1e3",
    "é — 🔑",
    "\u0085 \u00a0 \ufeff \u200b",
  ])("is read back exactly: %j, also where YAML has another meaning for it", (description) => {
    expect(frontMatterOf(renderSkillMarkdown({ ...skill, description }))["description"]).toBe(description);
  });

  test("gives any string back through a YAML parser", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (title) => {
        const { metadata } = frontMatterOf(renderSkillMarkdown({ ...skill, title }));
        expect(metadata).toMatchObject({ title });
      }),
      { numRuns: 500 },
    );
  });
});

test("a digest is sha256 in hexadecimal, the same for a string and its bytes", () => {
  const digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect([skillDigest("abc"), skillDigest(Buffer.from("abc"))]).toEqual([digest, digest]);
});
