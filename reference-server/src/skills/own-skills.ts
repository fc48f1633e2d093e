import { parseSkills, type Skill, SkillError } from "@authz/skills";

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
