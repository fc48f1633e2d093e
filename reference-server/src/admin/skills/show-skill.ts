import { skillMarkdown } from "@authz/agent-tools";
import { skillDocument } from "../../person/skills.js";
import { ownSkillsKey } from "../../objects/resource.js";
import type { ListedSkill, SkillSummary as StoredSummary, StoredSkill } from "../../store/own-skills.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../../registry/refusal.js";
import { ownedOnly } from "../door/access.js";
import type { Caller } from "../door/call.js";
import { showAs } from "../door/show.js";
import { type AdminSkill, type SkillSummary, skillSummarySchema } from "./schemas.js";

/** A skill in a list. */
export function showSkillSummary({ skill, ...state }: ListedSkill): SkillSummary {
  return showAs(skillSummarySchema)({
    ...describeSkill(skill),
    publishedId: `${ownSkillsKey}.${skill.id}`,
    ...state,
  });
}

export function showSkill(found: StoredSkill): AdminSkill {
  return { ...showSkillSummary(found), content: found.skill.content };
}

/** An owner finds only skills for what they decide about. @throws {Refusal} `not_found` */
export async function findSkill(
  store: Pick<Store, "ownSkills">,
  id: string,
  caller: Caller,
): Promise<StoredSkill> {
  const found = await store.ownSkills.findStored(id);
  if (found === undefined || !seesSkill(caller, found.skill)) throw notFound("skill", { id });
  return found;
}

/** A skill belongs to those who decide for each scope that it requires; one that requires none, to administrators. */
export function seesSkill(
  caller: Caller,
  { requiredScopes }: Pick<StoredSummary, "requiredScopes">,
): boolean {
  const decidable = ownedOnly(caller)?.decidable;
  if (decidable === undefined) return true;
  return requiredScopes.length > 0 && requiredScopes.every((scope) => decidable.includes(scope));
}

/** The SKILL.md that an agent reads when its person has every required scope. */
export function showReading({ skill }: StoredSkill, issuer: string): string {
  const visible = {
    id: `${ownSkillsKey}.${skill.id}`,
    skill,
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
