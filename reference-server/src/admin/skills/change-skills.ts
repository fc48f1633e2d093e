import { parseSkills, type Skill, SkillError } from "@authz/skills";
import type { z } from "zod";
import { invalid, requireVersion } from "../../registry/refusal.js";
import { saveSkill } from "../../registry/skill.js";
import type { Work } from "../../registry/work.js";
import { placeOf, skillFault } from "../../skills/own-skills.js";
import type { AdminSkill, createSkillSchema, updateSkillSchema } from "./schemas.js";
import { loadSkill } from "./show-skill.js";

/** @throws {Refusal} `invalid_request`, `already_exists`, `in_use` when there are as many as there can be */
export async function createSkill(
  { published, ...written }: z.output<typeof createSkillSchema>,
  work: Work,
): Promise<AdminSkill> {
  const skill = parse(written);
  await saveSkill({ before: undefined, after: { skill, published } }, work);
  return await loadSkill(work.store, skill.id);
}

/** @throws {Refusal} `not_found`, `version_conflict`, `invalid_request` */
export async function updateSkill(
  {
    id,
    change,
    version,
  }: { readonly id: string; readonly change: z.output<typeof updateSkillSchema>; readonly version: number },
  work: Work,
): Promise<AdminSkill> {
  const found = await loadSkill(work.store, id);
  requireVersion(found, version);
  const { title, description, tags, requiredScopes, visibility, content } = found;
  const before = { id, title, description, tags, requiredScopes, visibility, content };
  const { published = found.published, ...written } = change;
  // An absent member is absent in JSON, never undefined: what is there replaces what was.
  const skill = parse({ ...before, ...(written as Partial<WrittenSkill>) });
  await saveSkill({ before: await work.store.ownSkills.findStored(id), after: { skill, published } }, work);
  return await loadSkill(work.store, id);
}

/** @throws {Refusal} `not_found`, `version_conflict` */
export async function removeSkill(
  { id, version }: { readonly id: string; readonly version: number },
  { store, audit }: Work,
): Promise<void> {
  requireVersion(await loadSkill(store, id), version);
  await store.ownSkills.remove(id);
  await audit({ type: "skill.removed", data: { id } });
}

type WrittenSkill = Pick<
  AdminSkill,
  "id" | "title" | "description" | "tags" | "requiredScopes" | "visibility" | "content"
>;

/**
 * What somebody wrote, as a skill.
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
