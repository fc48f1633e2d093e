import * as skills from "@authz/skills";
import { expect, test } from "vitest";

test("@authz/skills exports exactly these names", () => {
  expect(Object.keys(skills).sort()).toEqual([
    "SkillError",
    "catalogSkill",
    "fileBytes",
    "isSkillDigest",
    "isSkillPath",
    "isVisible",
    "maximumFileBytes",
    "parseCatalog",
    "parseSkills",
    "readFileText",
    "renderSkillFile",
    "renderSkillMarkdown",
    "skillDigest",
  ]);
});
