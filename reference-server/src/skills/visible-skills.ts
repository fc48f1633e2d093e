import { isVisible, type Skill } from "@authz/skills";
import type { Permissions } from "../policy/effective-scopes.js";
import { grantedScopes } from "../policy/decide.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";

/** A skill as one person sees it. */
export interface VisibleSkill {
  /** The resource's key, a dot, and the id in the resource's catalog. */
  readonly id: string;
  readonly skill: Skill;
  readonly resource: Resource;
  /** Whether the person holds every scope that the skill asks for. */
  readonly allowed: boolean;
}

/** Every skill of the enabled resources that this person may see, by resource and in the catalog's order. */
export async function listVisibleSkills(
  store: Pick<Store, "resources" | "skillCatalogs">,
  permissions: Permissions,
): Promise<readonly VisibleSkill[]> {
  const resources = (await store.resources.listEnabled()).filter(({ skillDiscovery }) => skillDiscovery);
  const catalogs = await store.skillCatalogs.findAll(resources.map(({ id }) => id));
  const items = new Map(catalogs.map((catalog) => [catalog.resourceId, catalog.items ?? []]));
  return resources.flatMap((resource) => {
    const scopes = new Set(grantedScopes(permissions, resource));
    return (items.get(resource.id) ?? [])
      .filter((skill) => isVisible(skill, scopes))
      .map((skill) => ({
        id: `${resource.key}.${skill.id}`,
        skill,
        resource,
        allowed: skill.requiredScopes.every((scope) => scopes.has(scope)),
      }));
  });
}
