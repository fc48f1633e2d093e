import { isScope } from "@authz/dpop/jwt";
import { isVisible, type Skill } from "@authz/skills";
import { directoryAway } from "../permissions/groups/directory-away.js";
import { grantedScopes } from "../permissions/decide.js";
import { effectiveScopes, type Permissions } from "../permissions/effective-scopes.js";
import type { SkillSummary } from "../store/own-skills.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";

/**
 * What stands before the ids of the installation's own skills, where those of a resource have its key. No resource
 * can have this key: the registry and the database refuse it.
 */
export const ownSkillsKey = "installation";

/** More would make the list of a person's skills too long for anybody, and for one answer. */
export const maximumOwnSkills = 500;

/** A skill as one person sees it, without its text. */
export interface VisibleSkill {
  /** The publisher, a dot, and the id that the publisher gave it. */
  readonly id: string;
  readonly skill: SkillSummary;
  /** The key of the resource that publishes it, or `installation`. */
  readonly publisher: string;
  /** `undefined` for the installation itself. */
  readonly publisherName: string | undefined;
  /** Scopes that it asks for and the person does not have. */
  readonly lacks: readonly string[];
}

/** The same with its text. */
export interface ReadableSkill extends VisibleSkill {
  readonly skill: Skill;
}

type SkillSources = Pick<Store, "ownSkills" | "resources" | "skillCatalogs">;

/** Who publishes skills, and what a person may do there. */
interface Publisher {
  readonly key: string;
  readonly name: string | undefined;
  readonly scopes: ReadonlySet<string>;
}

/**
 * Every skill this person may see: the installation's own, then those of the enabled resources, in the catalog's order.
 *
 * Their texts are not read: a company has many, and each may be long.
 */
export async function listVisibleSkills(
  store: SkillSources,
  permissions: Permissions,
): Promise<readonly VisibleSkill[]> {
  const own = await store.ownSkills.list();
  const resources = (await store.resources.listEnabled()).filter(({ skillDiscovery }) => skillDiscovery);
  const listed = await store.skillCatalogs.listSkills(resources.map(({ id }) => id));
  const published = new Map(resources.map(({ id }): [string, SkillSummary[]] => [id, []]));
  for (const { resourceId, skill } of listed) published.get(resourceId)?.push(skill);
  return [
    ...visibleOf(installation(permissions), own),
    ...resources.flatMap((resource) =>
      visibleOf(publisherOf(resource, permissions), presentable(published.get(resource.id) ?? [])),
    ),
  ];
}

/** One skill with its text, if the person may see it. Nothing else is read. */
export async function findVisibleSkill(
  id: string,
  store: SkillSources,
  permissions: Permissions,
): Promise<ReadableSkill | undefined> {
  // What a publisher calls its skill has no dot.
  const dot = id.lastIndexOf(".");
  const [key, own] = [id.slice(0, Math.max(dot, 0)), id.slice(dot + 1)];
  if (id.includes("\0") || key === "") return undefined;
  if (key === ownSkillsKey) {
    const skill = await store.ownSkills.find(own);
    return skill && visibleOf(installation(permissions), [skill])[0];
  }
  const resource = await store.resources.findByKey(key);
  if (resource === undefined || !resource.enabled || !resource.skillDiscovery) return undefined;
  const skill = await store.skillCatalogs.findSkill({ resourceId: resource.id, id: own });
  return skill && visibleOf(publisherOf(resource, permissions), presentable([skill]))[0];
}

/**
 * A skill that somebody does not see may be one that a directory which is away would show them.
 *
 * @throws {OAuthError} `temporarily_unavailable`: it is.
 */
export async function refuseUndecided(
  id: string,
  permissions: Permissions,
  store: SkillSources,
): Promise<void> {
  const { assignments, undecided } = permissions;
  if (undecided.length === 0) return;
  const atMost = { ...permissions, assignments: [...assignments, ...undecided], undecided: [] };
  if ((await findVisibleSkill(id, store, atMost)) !== undefined) throw directoryAway();
}

/** A copy that was stored before the form of scopes was checked is no better than a catalog that is refused today. */
function presentable<Listed extends SkillSummary>(skills: readonly Listed[]): readonly Listed[] {
  return skills.every(({ requiredScopes }) => requiredScopes.every(isScope)) ? skills : [];
}

function installation(permissions: Permissions): Publisher {
  return { key: ownSkillsKey, name: undefined, scopes: effectiveScopes(permissions) };
}

function publisherOf(resource: Resource, permissions: Permissions): Publisher {
  return { key: resource.key, name: resource.name, scopes: new Set(grantedScopes(permissions, resource)) };
}

function visibleOf<Listed extends SkillSummary>(
  { key, name, scopes }: Publisher,
  skills: readonly Listed[],
): readonly (VisibleSkill & { readonly skill: Listed })[] {
  return skills
    .filter((skill) => isVisible(skill, scopes))
    .map((skill) => ({
      id: `${key}.${skill.id}`,
      skill,
      publisher: key,
      publisherName: name,
      lacks: skill.requiredScopes.filter((scope) => !scopes.has(scope)),
    }));
}
