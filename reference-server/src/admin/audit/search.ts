import type { z } from "zod";
import { type AuditSearch, AuditSearchError, searchAuditEvents } from "../../audit/search-events.js";
import type { AuditFilter, AuditRecord } from "../../store/audit-events.js";
import type { Store } from "../../store/store.js";
import { isUuid } from "../../protocol/parameters.js";
import { notFound } from "../../registry/refusal.js";
import type { Language } from "../../text/texts.js";
import type { Owned } from "../../store/owners.js";
import { ownedOnly } from "../door/access.js";
import type { Caller } from "../door/call.js";
import { invalidCursor } from "../door/list-query.js";
import type { AdminAuditEvent, AuditList, auditFilterSchema, auditQuerySchema } from "./schemas.js";
import { showEvents } from "./show-event.js";

type AuditStore = Pick<Store, "auditEvents" | "auditSearch" | "resources" | "users">;

/** Who reads the trail. An owner reads what is about their own services and connectors. */
interface AuditReader {
  readonly store: AuditStore;
  readonly language: Language;
  readonly caller: Caller;
}

/** One page of the audit trail, newest first. @throws {Refusal} `invalid_request` for a foreign cursor */
export async function findEvents(
  query: z.output<typeof auditQuerySchema>,
  { store, language, caller }: AuditReader,
): Promise<AuditList> {
  const { limit, cursor, q, ...filter } = query;
  const hasWords = q !== undefined && q.trim() !== "";
  const [progress, conditions] = await Promise.all([
    hasWords ? store.auditSearch.progress() : undefined,
    resolveFilter(filter, { store, caller }),
  ]);
  const page = await search(store, {
    ...conditions,
    limit,
    ...(cursor !== undefined && { cursor }),
    ...(hasWords && { q }),
  });
  return {
    items: await showEvents(store, page.items, language),
    nextCursor: page.nextCursor,
    searchedThrough: progress?.throughAt?.toISOString() ?? null,
  };
}

async function search(store: AuditStore, conditions: AuditSearch) {
  try {
    return await searchAuditEvents(store, conditions);
  } catch (error) {
    if (!(error instanceof AuditSearchError)) throw error;
    throw invalidCursor();
  }
}

/** @throws {Refusal} `not_found` */
export async function loadEvent(
  id: string,
  { store, language, caller }: AuditReader,
): Promise<AdminAuditEvent> {
  const range = { afterId: String(BigInt(id) - 1n), throughId: id, limit: 1 };
  const owned = ownedOnly(caller);
  const found = owned === undefined ? await store.auditEvents.read(range) : await findOwned(id, owned, store);
  const [event] = await showEvents(store, found, language);
  if (event === undefined) throw notFound("auditEvent", { id });
  return event;
}

/** The conditions of a query in the store's words. */
export async function resolveFilter(
  {
    from,
    to,
    type,
    outcome,
    actor,
    subject,
    client,
    service,
    connector,
  }: Omit<z.output<typeof auditFilterSchema>, "q">,
  { store, caller }: { readonly store: Pick<Store, "users" | "resources">; readonly caller: Caller },
): Promise<AuditFilter> {
  const owned = ownedOnly(caller);
  const [by, about, resource] = await Promise.all([
    findPerson(actor, store),
    findPerson(subject, store),
    service === undefined ? undefined : store.resources.findByKey(service),
  ]);
  return {
    ...(owned !== undefined && { owned }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { until: new Date(to) }),
    ...(type !== undefined && type.length > 0 && { types: type }),
    ...(outcome !== undefined && { outcome }),
    ...(actor !== undefined && { actorId: by?.id ?? actor }),
    ...(about !== undefined && { subject: about }),
    ...(client !== undefined && { clientId: client }),
    ...(service !== undefined && { service: { key: service, resource: resource?.resource } }),
    ...(connector !== undefined && { connector }),
  };
}

async function findOwned(
  id: string,
  owned: Owned,
  { auditEvents, auditSearch }: AuditStore,
): Promise<readonly AuditRecord[]> {
  const range = { afterId: String(BigInt(id) - 1n), throughId: id, limit: 1 };
  const [event] = await auditEvents.read(range);
  if (event === undefined) return [];
  const at = { from: new Date(event.at), until: new Date(Date.parse(event.at) + 1) };
  return await auditSearch.find({ ...at, id, owned, terms: [], limit: 1 });
}

/** Who has an id or an address now, and what they are called by the events that name an address only. */
async function findPerson(
  given: string | undefined,
  { users }: Pick<Store, "users">,
): Promise<NonNullable<AuditFilter["subject"]> | undefined> {
  if (given === undefined) return undefined;
  if (given.includes("@")) {
    const email = given.toLowerCase();
    return { id: (await users.findByEmail(email))?.id, email };
  }
  const found = isUuid(given) ? await users.find(given) : undefined;
  return { id: given, email: found?.email ?? undefined };
}
