import { ownSkillsKey } from "../../skills/visible-skills.js";
import type { ListedSkill, SkillSummary as StoredSummary } from "../../store/own-skills.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../../registry/refusal.js";
import { isoTime } from "../door/list-query.js";
import type { AdminSkill, SkillSummary } from "./schemas.js";

/** A skill in a list. */
export function showSkillSummary({ skill, version, createdAt, updatedAt }: ListedSkill): SkillSummary {
  return {
    ...describeSkill(skill),
    publishedId: `${ownSkillsKey}.${skill.id}`,
    version,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** @throws {Refusal} `not_found` */
export async function loadSkill(store: Pick<Store, "ownSkills">, id: string): Promise<AdminSkill> {
  const found = await store.ownSkills.findStored(id);
  if (found === undefined) throw notFound("skill", { id });
  return { ...showSkillSummary(found), content: found.skill.content };
}

/** The members of a skill that have something to show in a list, none of them absent. */
export function describeSkill({ id, title, description, tags, requiredScopes, visibility }: StoredSummary) {
  return {
    id,
    title,
    description: description ?? null,
    tags: [...(tags ?? [])],
    requiredScopes: [...requiredScopes],
    visibility,
  };
}
