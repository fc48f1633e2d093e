import { paths } from "../oauth/vocabulary.js";
import type { SkillsSection } from "../pages/skills-section.js";
import { grantedScopes } from "../policy/decide.js";
import { effectiveScopes, type Permissions } from "../policy/effective-scopes.js";
import { listVisibleSkills, ownSkillsKey, type VisibleSkill } from "../skills/visible-skills.js";
import type { Store } from "../store/store.js";

/** Nobody reads through more; the command line searches. */
const maximumSkills = 200;

/** One skill for its page. */
export interface ReadableSkill extends VisibleSkill {
  /** `undefined` for the installation itself. */
  readonly publisherName: string | undefined;
  /** Scopes that it asks for and the person does not have. */
  readonly lacks: readonly string[];
}

type SkillSources = Pick<Store, "ownSkills" | "resources" | "skillCatalogs">;

/** The skills that a person may see, by publisher. */
export async function loadSkillsSection(
  permissions: Permissions,
  { store, installationName }: { readonly store: SkillSources; readonly installationName: string },
): Promise<SkillsSection> {
  const skills = await loadSkills(permissions, store);
  const shown = skills.slice(0, maximumSkills);
  const publishers = [...new Set(shown.map(({ publisher }) => publisher))].map((publisher) => {
    const published = shown.filter((skill) => skill.publisher === publisher);
    return {
      name: published[0]?.publisherName ?? installationName,
      skills: published.map(({ id, skill, lacks }) => ({
        title: skill.title,
        href: `${paths.skills}/${id}`,
        description: skill.description,
        lacks,
      })),
    };
  });
  return { publishers, moreSkills: skills.length - shown.length };
}

/** One skill, if the person may see it. */
export async function findSkill(
  id: string,
  permissions: Permissions,
  store: SkillSources,
): Promise<ReadableSkill | undefined> {
  return (await loadSkills(permissions, store)).find((skill) => skill.id === id);
}

async function loadSkills(permissions: Permissions, store: SkillSources): Promise<readonly ReadableSkill[]> {
  const resources = new Map(
    (await store.resources.listEnabled()).map((resource) => [resource.key, resource]),
  );
  const visible = await listVisibleSkills(store, permissions);
  return visible.map((skill) => {
    const resource = skill.publisher === ownSkillsKey ? undefined : resources.get(skill.publisher);
    const held =
      resource === undefined ? effectiveScopes(permissions) : new Set(grantedScopes(permissions, resource));
    const lacks = skill.skill.requiredScopes.filter((scope) => !held.has(scope));
    return { ...skill, publisherName: resource?.name, lacks };
  });
}
