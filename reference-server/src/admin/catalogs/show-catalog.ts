import { catalogState } from "../../skills/catalog-state.js";
import type { Resource } from "../../store/resources.js";
import type { ListedCatalog } from "../../store/skill-catalogs.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../../registry/refusal.js";
import { isoTime } from "../door/list-query.js";
import { describeSkill } from "../skills/show-skill.js";
import type { AdminCatalog, CatalogSummary } from "./schemas.js";

/** A catalog in a list. */
export function showCatalogSummary(catalog: ListedCatalog, now: Date): CatalogSummary {
  const { resourceKey, resourceName, skills, fetchedAt, attemptedAt, refreshAt } = catalog;
  return {
    resourceKey,
    resourceName,
    url: `${catalog.authorizationServer}/.well-known/skills`,
    state: catalogState(catalog, now),
    error: catalog.failure,
    skills,
    fetchedAt: fetchedAt && isoTime(fetchedAt),
    attemptedAt: attemptedAt && isoTime(attemptedAt),
    nextAttemptAt: refreshAt && isoTime(refreshAt),
  };
}

/** @throws {Refusal} `not_found`: there is no such resource, or it publishes no skills. */
export async function loadPublishingResource(
  store: Pick<Store, "resources">,
  resourceKey: string,
): Promise<Resource> {
  const resource = await store.resources.findByKey(resourceKey);
  if (resource?.enabled !== true || !resource.skillDiscovery) {
    throw notFound("publishingResource", { key: resourceKey });
  }
  return resource;
}

/** The catalog of a resource with its last good copy. */
export async function loadCatalog(
  resource: Resource,
  { store, now }: { readonly store: Pick<Store, "skillCatalogs">; readonly now: Date },
): Promise<AdminCatalog> {
  const { id: resourceId, key, name, authorizationServer } = resource;
  const stored = await store.skillCatalogs.find(resourceId);
  const { items, ...facts } = stored ?? neverTried;
  const listed = { ...facts, resourceId, resourceKey: key, resourceName: name, authorizationServer };
  return {
    ...showCatalogSummary({ ...listed, skills: items?.length ?? null }, now),
    items: (items ?? []).map((skill) => ({
      ...describeSkill(skill),
      publishedId: `${key}.${skill.id}`,
      content: skill.content,
      files: (skill.files ?? []).map((file) => ({ ...file })),
    })),
  };
}

const neverTried = { items: null, fetchedAt: null, attemptedAt: null, refreshAt: null, failure: null };
