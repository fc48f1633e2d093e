import type { Skill } from "@authz/skills";
import { maximumOwnSkills } from "../skills/visible-skills.js";
import type { StoredSkill } from "../store/own-skills.js";
import { full, requireNone, taken } from "./refusal.js";
import { findUnknownScopes } from "./scope.js";
import { changedFields, type Saving, type Work } from "./work.js";

/** A skill of the installation, and whether agents may read it: what is not published is a draft. */
export type OwnSkill = Pick<StoredSkill, "skill" | "published">;

/** @throws {Refusal} `already_exists`, `in_use` when there are as many as there can be, `invalid_request` for an unknown scope */
export async function saveSkill(
  { before, after }: Saving<OwnSkill, { readonly skill: Skill; readonly published: boolean }>,
  { store, at, audit }: Work,
): Promise<void> {
  const { skill, published } = after;
  const { id, requiredScopes } = skill;
  const placeOf = (index: number) => `requiredScopes.${index}`;
  requireNone(await findUnknownScopes([{ scopes: requiredScopes, placeOf }], store));
  if (before === undefined) {
    if ((await store.ownSkills.findStored(id)) !== undefined) throw taken("skill", { id }, "id");
    if ((await store.ownSkills.count()) >= maximumOwnSkills) throw full("skills", maximumOwnSkills);
    await store.ownSkills.save(skill, at, published);
    return await audit({ type: "skill.created", data: { id } });
  }
  const fields = changedFields(membersOf(before), membersOf(after));
  if (fields.length === 0) return;
  await store.ownSkills.save(skill, at, published);
  await audit({ type: "skill.changed", data: { id, fields } });
}

/** Every member, so that taking one away counts as a change, in the order in which they are shown. */
function membersOf({ skill, published }: OwnSkill) {
  const { title, description, tags, requiredScopes, visibility, content } = skill;
  return { title, description, tags, requiredScopes, visibility, content, published };
}
