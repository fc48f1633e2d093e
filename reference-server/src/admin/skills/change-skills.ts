import { parseSkills, type Skill, SkillError } from "@authz/skills";
import type { z } from "zod";
import { invalid } from "../../registry/refusal.js";
import { saveSkill } from "../../registry/skill.js";
import type { Work } from "../../registry/work.js";
import { placeOf, skillFault } from "../../skills/own-skills.js";
import type { StoredSkill } from "../../store/own-skills.js";
import type { AdminSkill, createSkillSchema, updateSkillSchema } from "./schemas.js";
import { describeSkill } from "./show-skill.js";

/** A new skill as it was written. @throws {Refusal} `invalid_request` */
export function newSkill({ published, ...written }: z.output<typeof createSkillSchema>): WantedSkill {
  return { skill: parse(written), published };
}

/** A skill as a change makes it. @throws {Refusal} `invalid_request` */
export function changedSkill(before: StoredSkill, change: z.output<typeof updateSkillSchema>): WantedSkill {
  const { published = before.published, ...written } = change;
  // An absent member is absent in JSON, never undefined: what is there replaces what was.
  const skill = parse({
    ...describeSkill(before.skill),
    content: before.skill.content,
    ...(written as Partial<WrittenSkill>),
  });
  return { skill, published };
}

/** A skill as it shall be. */
export type WantedSkill = Parameters<typeof saveSkill>[0]["after"];

export async function removeSkill({ skill: { id } }: StoredSkill, { store, audit }: Work): Promise<void> {
  await store.ownSkills.remove(id);
  await audit({ type: "skill.removed", data: { id } });
}

type WrittenSkill = Pick<
  AdminSkill,
  "id" | "title" | "description" | "tags" | "requiredScopes" | "visibility" | "content"
>;

/**
 * Parses the members of a skill.
 *
 * @throws {Refusal} `invalid_request`, with the place in it
 */
function parse({ description, tags, ...skill }: WrittenSkill): Skill {
  try {
    const [parsed] = parseSkills([
      {
        ...skill,
        ...(description !== null && description.trim() !== "" && { description }),
        ...(tags.length > 0 && { tags }),
      },
    ]);
    if (parsed === undefined) throw new Error("A list of one skill has one skill.");
    return parsed;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const path = placeOf(error).slice(1).join(".");
    throw invalid({ path, message: skillFault(error) });
  }
}
