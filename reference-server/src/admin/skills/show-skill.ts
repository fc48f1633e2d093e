import { skillMarkdown } from "@authz/agent-tools";
import { skillDocument } from "../../person/skills.js";
import { ownSkillsKey } from "../../objects/resource.js";
import type { ListedSkill, SkillSummary as StoredSummary } from "../../store/own-skills.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../../registry/refusal.js";
import { isoTime } from "../door/list-query.js";
import type { AdminSkill, SkillSummary } from "./schemas.js";

/** A skill in a list. */
export function showSkillSummary({
  skill,
  published,
  version,
  createdAt,
  updatedAt,
}: ListedSkill): SkillSummary {
  return {
    ...describeSkill(skill),
    publishedId: `${ownSkillsKey}.${skill.id}`,
    published,
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

/** The file that an agent of somebody reads who may do all that the skill asks for. @throws {Refusal} `not_found` */
export async function loadReading(
  store: Pick<Store, "ownSkills">,
  { id, issuer }: { readonly id: string; readonly issuer: string },
): Promise<string> {
  const found = await store.ownSkills.findStored(id);
  if (found === undefined) throw notFound("skill", { id });
  const visible = {
    id: `${ownSkillsKey}.${id}`,
    skill: found.skill,
    publisher: ownSkillsKey,
    publisherName: undefined,
    lacks: [],
  };
  return skillMarkdown({ description: undefined, ...skillDocument(visible) }, issuer);
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
