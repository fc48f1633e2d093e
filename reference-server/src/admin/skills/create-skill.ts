import type { z } from "zod";
import { maximumOwnSkills } from "../../skills/visible-skills.js";
import { alreadyExists, inUse } from "../http/admin-error.js";
import type { ChangeWork } from "../http/call.js";
import { checkSkill } from "./check-skill.js";
import type { AdminSkill, createSkillSchema } from "./schemas.js";
import { loadSkill } from "./show-skill.js";

/** @throws {AdminError} `invalid_request`, `already_exists`, `in_use` when there are as many as there can be */
export async function createSkill(
  written: z.output<typeof createSkillSchema>,
  { store, at, audit }: ChangeWork,
): Promise<AdminSkill> {
  const skill = await checkSkill(written, store);
  const { id } = skill;
  if ((await store.ownSkills.find(id)) !== undefined) {
    throw alreadyExists(({ refusals }) => refusals.taken.skill(id), "id");
  }
  if ((await store.ownSkills.count()) >= maximumOwnSkills) {
    throw inUse(({ refusals }) => refusals.full.skills(maximumOwnSkills));
  }
  await store.ownSkills.save(skill, at);
  await audit({ type: "skill.created", data: { id } });
  return await loadSkill(store, id);
}
