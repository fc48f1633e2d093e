import { parseSkills, type Skill, SkillError } from "@authz/skills";
import type { Message } from "../text/message.js";

/**
 * The installation's own skills in a file that an operator wrote: as a service publishes them, but without files. What belongs to a skill
 * comes from the service that it is about.
 *
 * @throws {SkillError}
 */
export function parseOwnSkills(items: readonly unknown[]): readonly Skill[] {
  const skills = parseSkills(items);
  const index = skills.findIndex(({ files }) => files !== undefined);
  if (index !== -1)
    throw new SkillError(`[${String(index)}].files`, "is for services only.", { fault: "noFiles" });
  return skills;
}

/** What is wrong with a skill, behind the name of the member. */
export function skillFault({ fault, values }: SkillError): Message {
  return { key: `administration.skillFaults.${fault}`, values };
}

/** The place in a list of skills, as parts: `[2].tags[0]` is 2, "tags", 0. */
export function placeOf({ path }: SkillError): readonly (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\.(\w+)/g)].map(([, index, name]) => name ?? Number(index));
}
