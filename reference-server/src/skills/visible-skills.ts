import { isVisible, type Skill } from "@authz/skills";
import { grantedScopes } from "../policy/decide.js";
import { effectiveScopes, type Permissions } from "../policy/effective-scopes.js";
import type { Store } from "../store/store.js";

/**
 * What stands before the ids of the installation's own skills, where those of a resource have its key. No resource
 * can have this key: the registry and the database refuse it.
 */
export const ownSkillsKey = "installation";

/** More would make the list of a person's skills too long for anybody, and for one answer. */
export const maximumOwnSkills = 500;

/** A skill as one person sees it. */
export interface VisibleSkill {
  /** The publisher, a dot, and the id that the publisher gave it. */
  readonly id: string;
  readonly skill: Skill;
  /** The key of the resource that publishes it, or `installation`. */
  readonly publisher: string;
  /** Whether the person holds every scope that the skill asks for. */
  readonly allowed: boolean;
}

/** Every skill this person may see: the installation's own, then those of the enabled resources, in the catalog's order. */
export async function listVisibleSkills(
  store: Pick<Store, "ownSkills" | "resources" | "skillCatalogs">,
  permissions: Permissions,
): Promise<readonly VisibleSkill[]> {
  const own = visibleOf(ownSkillsKey, await store.ownSkills.list(), effectiveScopes(permissions));
  const resources = (await store.resources.listEnabled()).filter(({ skillDiscovery }) => skillDiscovery);
  const catalogs = await store.skillCatalogs.findAll(resources.map(({ id }) => id));
  const items = new Map(catalogs.map((catalog) => [catalog.resourceId, catalog.items ?? []]));
  const published = resources.flatMap((resource) =>
    visibleOf(resource.key, items.get(resource.id) ?? [], new Set(grantedScopes(permissions, resource))),
  );
  return [...own, ...published];
}

function visibleOf(
  publisher: string,
  skills: readonly Skill[],
  scopes: ReadonlySet<string>,
): readonly VisibleSkill[] {
  return skills
    .filter((skill) => isVisible(skill, scopes))
    .map((skill) => ({
      id: `${publisher}.${skill.id}`,
      skill,
      publisher,
      allowed: skill.requiredScopes.every((scope) => scopes.has(scope)),
    }));
}
