import * as skills from "@authz/skills";
import { expect, test } from "vitest";

test("@authz/skills exports exactly these names", () => {
  expect(Object.keys(skills).sort()).toEqual([
    "SkillError",
    "isVisible",
    "parseSkills",
    "renderSkillFile",
    "renderSkillMarkdown",
    "skillDigest",
  ]);
});
