import { randomUUID } from "node:crypto";
import { coveredPlace } from "../protocol/request-places.js";
import type { ListedResource, RegisteredResource, Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import { agentsKey, agentsRules } from "../objects/resource.js";
import { type FieldFault, fault } from "../objects/check.js";
import { unknownProvider } from "./assignment.js";
import { requireKnownInRules, rulesChange } from "./call-rules.js";
import { inUse, notFound, Refusal, requireNone, taken } from "./refusal.js";
import { findUnknownOwners, saveOwners } from "./owners.js";
import { findUnknownScopes } from "./scope.js";
import { changedFields, given, type Saving, type Work } from "./work.js";

/** What an administrator may change of the resource that is part of every installation. */
const changeable: ReadonlySet<string> = new Set(Object.keys(agentsRules.shape));

/** A service as it shall be; absent owners stay as they are. */
type WantedResource = Omit<Resource, "id" | "builtIn"> & Partial<Pick<RegisteredResource, "owners">>;

/**
 * Creates or changes a service.
 *
 * @throws {Refusal} `already_exists` for the key, the identifier or a prefix, `invalid_request` for an unknown scope, `in_use` for more
 * than the name and the switches of the built-in one
 */
export async function saveResource(
  { before, after: wanted }: Saving<RegisteredResource, WantedResource>,
  work: Work,
): Promise<void> {
  const { store, at, audit } = work;
  const { key, resource } = wanted;
  if (before === undefined && (await store.resources.findByKey(key)) !== undefined) {
    throw taken("resource", { key }, "key");
  }
  const supportedScopes = [...new Set(wanted.supportedScopes)].sort();
  const builtIn = before?.builtIn ?? false;
  const owners = wanted.owners ?? before?.owners ?? [];
  const after = { ...wanted, id: before?.id ?? randomUUID(), builtIn, supportedScopes, owners };
  const fields = before === undefined ? [] : changedFields(before, after);
  if (before !== undefined && fields.length === 0) return;
  if (builtIn && !fields.every((name) => changeable.has(name))) throw inUse("builtInResource", { key });
  const placeOf = (index: number) => `supportedScopes.${index}`;
  requireNone([
    ...(await findUnknownScopes([{ scopes: wanted.supportedScopes, placeOf }], store)),
    ...(await findUnknownOwners(owners, store)),
    ...(await findUnknownApprovers(after, store)),
  ]);
  await requireNoConflict(after, store);
  await requireKnownInRules(after.rules, supportedScopes, store);
  await store.resources.save(after, at);
  await audit(
    before === undefined
      ? { type: "resource.created", data: { key, resource } }
      : { type: "resource.changed", data: { key, fields } },
  );
  await work.auditAll(rulesChange({ resource: key }, before?.rules ?? [], after.rules));
  await saveOwners(
    { kind: "service", id: after.id, key },
    { before: before?.owners ?? [], after: owners },
    work,
  );
}

/** Changes the address for agents; what is absent stays. @throws {Refusal} `not_found` */
export async function saveAgents(
  change: { readonly [Name in keyof typeof agentsRules.shape]?: Resource[Name] | undefined },
  work: Work,
): Promise<void> {
  const before = await work.store.resources.describe(agentsKey);
  if (before?.builtIn !== true) throw notFound("resource", { key: agentsKey });
  await saveResource({ before, after: { ...before, ...given(change) } }, work);
}

/**
 * Removes a service. Tokens that it issued itself end by themselves.
 *
 * @throws {Refusal} `in_use`: it is part of every installation
 */
export async function removeResource(
  { id, key, resource, builtIn }: Pick<Resource, "id" | "key" | "resource" | "builtIn">,
  { store, audit }: Work,
): Promise<void> {
  if (builtIn) throw inUse("builtInResource", { key });
  await store.resources.remove(id);
  await audit({ type: "resource.removed", data: { key, resource } });
}

/** @throws {Refusal} `not_found` */
export async function findResource(store: Pick<Store, "resources">, key: string): Promise<ListedResource> {
  const found = await store.resources.describe(key);
  if (found === undefined) throw notFound("resource", { key });
  return found;
}

/** The group providers of approvers that are not there. */
async function findUnknownApprovers(
  { authorizationDetailsTypes }: Pick<Resource, "authorizationDetailsTypes">,
  { groupProviders }: Pick<Store, "groupProviders">,
): Promise<readonly FieldFault[]> {
  const faults = authorizationDetailsTypes.map(async ({ approver }, index) => {
    if (approver === null || (await groupProviders.findByKey(approver.provider)) !== undefined) return [];
    return [unknownProvider(`authorizationDetailsTypes.${index}.approver.provider`, approver.provider)];
  });
  return (await Promise.all(faults)).flat();
}

/** Checks that identifier and prefixes belong to no other service. @throws {Refusal} `already_exists` */
async function requireNoConflict(wanted: Resource, store: Store): Promise<void> {
  const owner = await store.resources.findByIdentifier(wanted.resource);
  const places = wanted.requestPrefixes.map((prefix) => coveredPlace(prefix) ?? prefix);
  const owned = await store.resources.findByPlaces(places);
  const conflicts: FieldFault[] = [
    ...(owner === undefined || owner.key === wanted.key
      ? []
      : [fault("resource", "identifierTaken", { resource: wanted.resource, key: owner.key })]),
    ...owned
      .filter(({ key }) => key !== wanted.key)
      .map(({ key, place }) => {
        const index = places.indexOf(place);
        const resource = wanted.requestPrefixes[index] ?? place;
        return fault(`requestPrefixes.${index}`, "identifierTaken", { resource, key });
      }),
  ];
  const [first] = conflicts;
  if (first === undefined) return;
  const sentence = { key: "administration.refusals.conflict", values: { fault: first.message } } as const;
  throw new Refusal("already_exists", sentence, { fields: conflicts });
}
