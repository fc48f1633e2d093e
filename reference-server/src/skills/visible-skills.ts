import { isScope } from "@authz/dpop/jwt";
import { type CatalogSkill, isVisible, type SkillFileEntry } from "@authz/skills";
import { directoryAway } from "../permissions/groups/directory-away.js";
import { grantedScopes } from "../permissions/decide.js";
import { ownSkillsKey } from "../objects/resource.js";
import { effectiveScopes, type Permissions } from "../permissions/effective-scopes.js";
import type { SkillSummary } from "../store/own-skills.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import { type CatalogGap, gapOf } from "./catalog-state.js";

/** Bounds the list of a person's skills, which is one answer. */
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

/** The same with its text, and what there is of files. */
export interface ReadableSkill extends VisibleSkill {
  readonly skill: CatalogSkill;
}

/** A file of a skill, with its bytes. */
export interface ReadableFile {
  readonly entry: SkillFileEntry;
  readonly bytes: Uint8Array;
}

/** What one person sees, and what may be missing from it. */
export interface VisibleSkills {
  readonly skills: readonly VisibleSkill[];
  /** The publishers whose skills may be missing or old. */
  readonly gaps: readonly CatalogGap[];
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
  now: Date,
): Promise<VisibleSkills> {
  const own = await store.ownSkills.list();
  const resources = (await store.resources.listEnabled()).filter(({ skillDiscovery }) => skillDiscovery);
  const ids = resources.map(({ id }) => id);
  const [listed, attempts] = await Promise.all([
    store.skillCatalogs.listSkills(ids),
    store.skillCatalogs.listAttempts(ids),
  ]);
  const published = new Map(resources.map(({ id }): [string, SkillSummary[]] => [id, []]));
  for (const { resourceId, skill } of listed) published.get(resourceId)?.push(skill);
  const attempted = new Map(attempts.map((attempt) => [attempt.resourceId, attempt]));
  const atMost = withUndecided(permissions);
  const skills: VisibleSkill[] = [];
  const gaps: CatalogGap[] = [];
  const add = (
    publisherFor: (as: Permissions) => Publisher,
    copy: readonly SkillSummary[],
    resource?: Resource,
  ) => {
    const publisher = publisherFor(permissions);
    const seen = visibleOf(publisher, presentable(copy));
    skills.push(...seen);
    const gap = gapOf(publisher, {
      attempt: resource && (attempted.get(resource.id) ?? null),
      isRefused: presentable(copy).length < copy.length,
      hidesUndecided: visibleOf(publisherFor(atMost), presentable(copy)).length > seen.length,
      now,
    });
    if (gap !== undefined) gaps.push(gap);
  };
  add(installation, own);
  for (const resource of resources)
    add((as) => publisherOf(resource, as), published.get(resource.id) ?? [], resource);
  return { skills, gaps };
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

/** A file of a skill, if the person may see the skill. */
export async function findVisibleFile(
  { id, path }: { readonly id: string; readonly path: string },
  store: SkillSources,
  permissions: Permissions,
): Promise<ReadableFile | undefined> {
  const visible = await findVisibleSkill(id, store, permissions);
  const entry = visible?.skill.files?.find((file) => file.path === path);
  if (visible === undefined || entry === undefined) return undefined;
  const resource = await store.resources.findByKey(visible.publisher);
  if (resource === undefined) return undefined;
  const bytes = await store.skillCatalogs.findFile({ resourceId: resource.id, digest: entry.digest });
  return bytes && { entry, bytes };
}

/** The gap of the catalog that a skill with this id would be in. */
export async function findGap(
  id: string,
  store: Pick<Store, "resources" | "skillCatalogs">,
  now: Date,
): Promise<CatalogGap | undefined> {
  const key = id.slice(0, Math.max(id.lastIndexOf("."), 0));
  if (id.includes("\0") || key === "" || key === ownSkillsKey) return undefined;
  const resource = await store.resources.findByKey(key);
  if (resource === undefined || !resource.enabled || !resource.skillDiscovery) return undefined;
  const [[attempt = null], copy] = await Promise.all([
    store.skillCatalogs.listAttempts([resource.id]),
    store.skillCatalogs.listSkills([resource.id]),
  ]);
  const isRefused = presentable(copy.map(({ skill }) => skill)).length < copy.length;
  return gapOf(resource, { attempt, isRefused, hidesUndecided: false, now });
}

/**
 * @throws {OAuthError} `temporarily_unavailable`: a directory that is away may let the person see this skill.
 */
export async function refuseUndecided(
  id: string,
  permissions: Permissions,
  store: SkillSources,
): Promise<void> {
  if (permissions.undecided.length === 0) return;
  if ((await findVisibleSkill(id, store, withUndecided(permissions))) !== undefined) throw directoryAway();
}

/** The most that a person may do, if directories that are away gave everything. */
function withUndecided(permissions: Permissions): Permissions {
  const { assignments, undecided } = permissions;
  return { ...permissions, assignments: [...assignments, ...undecided], undecided: [] };
}

/** A stored copy with malformed scopes is hidden: such a catalog would be refused today. */
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
