import { z } from "zod";
import { type ClientRegistration, clientRegistrationSchema } from "../../registry/clients/client-schema.js";
import { registerClient } from "../../registry/clients/register-client.js";
import type { Store } from "../../store/store.js";
import { alreadyExists, type FieldFault, inUse, invalidFields } from "../http/admin-error.js";
import type { ChangeWork } from "../http/call.js";
import { toFieldFaults } from "../http/field-faults.js";
import { requireVersion } from "../http/versions.js";
import type { Client, ClientPatch } from "./schemas.js";
import { loadClient, requireRegistered } from "./show-client.js";

/** @throws {AdminError} `already_exists`, `invalid_request` for a scope that nobody knows */
export async function createClient(registration: ClientRegistration, work: ChangeWork): Promise<Client> {
  const { store, at } = work;
  const { id } = registration.client;
  if ((await store.clients.find(id)) !== undefined) {
    throw alreadyExists(({ refusals }) => refusals.taken.client(id), "id");
  }
  await requireKnownScopes(registration, store);
  await registerClient(registration, work);
  return await loadClient(store, { id, now: at });
}

/** @throws {AdminError} `not_found`, `in_use` for the built-in client, `version_conflict`, `invalid_request` */
export async function changeClient(
  { id, change, version }: { readonly id: string; readonly change: ClientPatch; readonly version: number },
  work: ChangeWork,
): Promise<Client> {
  const { store, at } = work;
  const found = await loadClient(store, { id, now: at });
  requireRegistered(found);
  requireVersion(found, version);
  const registration = mergeClient(found, change);
  await requireKnownScopes(registration, store);
  await registerClient(registration, work);
  return await loadClient(store, { id, now: at });
}

/** @throws {AdminError} `not_found`, `in_use` while people are logged in with it, `version_conflict` */
export async function removeClient(
  { id, version }: { readonly id: string; readonly version: number },
  { store, at, audit }: ChangeWork,
): Promise<void> {
  const found = await loadClient(store, { id, now: at });
  requireRegistered(found);
  requireVersion(found, version);
  if (found.logIns > 0) throw inUse(({ refusals }) => refusals.clientInUse(id, found.logIns));
  await store.clients.remove(id);
  await audit({ type: "client.removed", clientId: id, data: { id, type: found.type } });
}

/** The stored client with what is to change, judged by the same rules as a new one. @throws {AdminError} */
function mergeClient(found: Client, change: ClientPatch): ClientRegistration {
  const { id, name, type, redirectUris, keys, dpopBound, scopes, enabled } = found;
  const own = type === "machine" ? { scopes } : { redirectUris, dpopBound };
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const result = clientRegistrationSchema.safeParse({ id, name, type, keys, enabled, ...own, ...given });
  if (result.success) return result.data;
  throw invalidFields(result.error.issues.flatMap((issue) => toFaults(issue, type)));
}

function toFaults(issue: z.core.$ZodIssue, type: Client["type"]): FieldFault[] {
  if (issue.code !== "unrecognized_keys") return toFieldFaults([issue]);
  return issue.keys.map((path) => ({ path, message: ({ fields }) => fields.notOfClient(type) }));
}

async function requireKnownScopes({ machineScopes }: ClientRegistration, store: Store): Promise<void> {
  const known = new Set((await store.scopes.findAll(machineScopes)).map(({ key }) => key));
  const unknown = machineScopes.filter((scope) => !known.has(scope));
  if (unknown.length === 0) return;
  throw invalidFields(
    unknown.map((scope) => ({ path: "scopes", message: ({ fields }) => fields.unknownScope(scope) })),
  );
}
