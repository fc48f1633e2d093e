import { renderSkillFile } from "@authz/skills";
import { cleanLine, cleanText } from "@authz/skills/invisible";
import { describeGap } from "./skill-gaps.js";
import type { SkillList } from "./skill-list.js";
import type { SkillFrontMatter } from "./skill-markdown.js";

/** Its name. Published skills have a dot in their id and a hyphen in their name. */
export const noticeName = "authz";
const longestDescription = 1000;

/** What every reader of the list of skills needs to know about it, as a skill of our own. */
export interface Notice {
  frontMatter: SkillFrontMatter;
  /** The whole `SKILL.md`. */
  text: string;
}

/** What the administrators tell every agent, and whose skills may be missing or old; undefined when there is nothing of both. */
export function noticeFor({ installation, incomplete, items }: SkillList): Notice | undefined {
  const instructions = installation?.instructions;
  if (instructions === undefined && incomplete.length === 0) return undefined;
  const gaps = incomplete.map((gap) => cleanLine(describeGap(gap)));
  const denied = items.filter(({ allowed }) => !allowed).length;
  const first = gaps.length === 0 ? "" : `This list of skills is incomplete: ${gaps.join(" ")} `;
  const organization = cleanLine(installation?.name ?? "The organization");
  const then =
    instructions === undefined
      ? ""
      : `Read before other skills: ${organization} tells every agent something.`;
  const frontMatter = {
    name: noticeName,
    description: Array.from(`${first}${then}`.trim()).slice(0, longestDescription).join(""),
  };
  const parts = [
    ...(instructions === undefined
      ? []
      : [`# ${organization} tells every agent`, cleanText(instructions).trim()]),
    ...(gaps.length === 0 ? [] : ["# Not listed, or old", gaps.map((gap) => `- ${gap}`).join("\n")]),
    ...(denied === 0
      ? []
      : [
          `Skills that exist and need a permission which you lack: ${String(denied)}. Call find_skills for them.`,
        ]),
  ];
  return { frontMatter, text: renderSkillFile({ ...frontMatter, content: parts.join("\n\n") }) };
}
