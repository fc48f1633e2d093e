import { maximumOwnSkills } from "../../skills/visible-skills.js";
import { changedFields } from "./changed-fields.js";
import { RegistryError } from "./registry-error.js";
import type { RegistryFile } from "./registry-file.js";
import type { Work } from "./work.js";

export async function applySkills(skills: RegistryFile["skills"], { store, at, audit }: Work): Promise<void> {
  for (const skill of skills) {
    const { id } = skill;
    const found = await store.ownSkills.find(id);
    if (found === undefined) {
      await store.ownSkills.save(skill, at);
      await audit({ type: "skill.created", data: { id } });
      continue;
    }
    const fields = changedFields({ ...absent, ...found }, { ...absent, ...skill });
    if (fields.length === 0) continue;
    await store.ownSkills.save(skill, at);
    await audit({ type: "skill.changed", data: { id, fields } });
  }
  if (skills.length > 0 && (await store.ownSkills.count()) > maximumOwnSkills) {
    throw new RegistryError([`skills: the installation can have ${maximumOwnSkills} skills of its own`]);
  }
}

/** What a skill may lack, so that taking it away counts as a change. */
const absent = { description: undefined, tags: undefined };
