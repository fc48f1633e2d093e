import type { SkillSummary } from "../src/skill-list.js";
import { describe, expect, it } from "vitest";
import { bestSkills, findSkills, foundDocument } from "../src/find-skills.js";

const skill = (id: string, title: string, change: Partial<SkillSummary> = {}): SkillSummary => ({
  id,
  title,
  description: undefined,
  tags: [],
  requiredScopes: [],
  allowed: true,
  resource: id.split(".")[0] ?? id,
  ...change,
});

describe("skills are found", () => {
  const skills = [
    skill("a.one", "Relisting of things"),
    skill("a.two", "List contracts"),
    skill("b.three", "Contracts", { description: "Lists what there is" }),
    skill("b.four", "Anything", { tags: ["list"] }),
    skill("c.five", "List contracts", { allowed: false }),
    skill("c.six", "Verträge"),
  ];
  const found = (query: string): readonly string[] => findSkills(skills, query).map(({ id }) => id);

  it.each([
    [
      "list contracts",
      ["a.two", "c.five", "b.three"],
      "every word, then where it stands, then what is allowed",
    ],
    ["list", ["a.two", "c.five", "a.one", "b.four", "b.three"], "a whole word before a part of one"],
    ["list submarines", ["a.two", "c.five", "a.one", "b.four", "b.three"], "most words, when none has all"],
    ["VERTRAGE", ["c.six"], "without case and accents"],
    ["submarines", [], "not by nothing"],
    ["  ", [], "not without words"],
  ])("for %j: %j (%s)", (query, expected) => {
    expect(found(query)).toEqual(expected);
  });

  it("by the first words of a question with too many", () => {
    expect(found(`list ${"submarine ".repeat(200_000)} contracts`)).toEqual(found("list submarine"));
  });
});

describe("an agent gets", () => {
  it("the best five and the number of all others, by service", () => {
    const skills = Array.from({ length: 60 }, (_, index) => skill(`s${String(index)}.list`, "List"));
    const { best, others } = bestSkills(skills, "list");
    expect(best).toHaveLength(5);
    expect(Object.keys(others)).toHaveLength(21);
    expect(others["(elsewhere)"]).toBe(35);
    const without = bestSkills(skills, undefined);
    expect(without.best).toHaveLength(20);
    expect(without.others["(elsewhere)"]).toBe(20);
  });

  it("nothing about what does not apply", () => {
    expect(
      JSON.stringify(foundDocument({ items: [], incomplete: [], installation: undefined }, "list")),
    ).toBe('{"skills":{}}');
  });
});
