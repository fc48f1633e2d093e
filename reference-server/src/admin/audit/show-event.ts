import { describeEvent } from "../../audit/describe-event.js";
import { loadEventNames, nameKey, providersOf } from "../../audit/event-names.js";
import type { AuditRecord } from "../../store/audit-events.js";
import type { AuditName } from "../../store/audit-search.js";
import type { Store } from "../../store/store.js";
import { type Language, type Texts, textsIn } from "../../text/texts.js";
import type { AdminAuditEvent, AuditLink } from "./schemas.js";

type Names = ReadonlyMap<string, AuditName>;

/** Events as the API shows them, with the names that people and clients have now. */
export async function showEvents(
  store: Pick<Store, "auditSearch">,
  records: readonly AuditRecord[],
  language: Language,
): Promise<AdminAuditEvent[]> {
  const names = await loadEventNames(store, records);
  const texts = textsIn(language);
  return records.map((record) => showEvent(record, names, texts));
}

function showEvent(record: AuditRecord, names: Names, texts: Texts): AdminAuditEvent {
  const { actorType, actorId, subject, clientId, data, ...facts } = record;
  const nameOf = (id: string | null) => (id === null ? undefined : names.get(id));
  return {
    ...facts,
    description: describeEvent(record, names, texts),
    actor: {
      type: actorType,
      id: actorId,
      email: nameOf(actorId)?.email ?? null,
      name: nameOf(actorId)?.name ?? null,
    },
    subject: subject === null ? null : describePerson(subject, nameOf(subject)),
    client:
      clientId === null
        ? null
        : { id: clientId, name: nameOf(clientId)?.name ?? null, host: nameOf(clientId)?.host ?? null },
    data: { ...data },
    links: linksOf(record, names),
  };
}

function describePerson(id: string, name: AuditName | undefined) {
  return { id, email: name?.email ?? null, name: name?.name ?? null };
}

/** Which object the first part of a type is about, and which member of the data names it. */
const objects: Readonly<Record<string, { readonly type: AuditLink["type"]; readonly member: string }>> = {
  provider: { type: "identity-provider", member: "key" },
  client: { type: "client", member: "id" },
  scope: { type: "scope", member: "key" },
  resource: { type: "resource", member: "key" },
  group_provider: { type: "group-provider", member: "key" },
  skill: { type: "skill", member: "id" },
  catalog: { type: "catalog", member: "resource" },
  assignment: { type: "scope", member: "scope" },
  signing_key: { type: "signing-key", member: "kid" },
  connector: { type: "connector", member: "key" },
  connection: { type: "connector", member: "connector" },
  service: { type: "resource", member: "resource" },
};

/** Members that name an object wherever they are. */
const members: Readonly<Record<string, AuditLink["type"]>> = {
  grantId: "grant",
  sessionId: "session",
  approval: "approval",
};

/** The objects that an event is about, each once. Whether they still exist is not said. */
function linksOf(record: AuditRecord, names: ReadonlyMap<string, AuditName>): AuditLink[] {
  const { type, actorType, actorId, subject, clientId, data } = record;
  const links = new Map<string, AuditLink>();
  const add = (kind: AuditLink["type"], id: unknown, name: string | null = null) => {
    if (typeof id === "string" && id !== "") links.set(`${kind} ${id}`, { type: kind, id, name });
  };
  const [about = ""] = type.split(".");
  const object = Object.hasOwn(objects, about) ? objects[about] : undefined;
  if (object !== undefined) add(object.type, data[object.member]);
  if (about === "installation") add("settings", "installation");
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id)?.name ?? null));
  add("user", subject, nameOf(subject));
  if (actorType === "user" || actorType === "client") add(actorType, actorId, nameOf(actorId));
  add("client", clientId, nameOf(clientId));
  for (const [member, kind] of Object.entries(members)) add(kind, data[member]);
  if (about !== "catalog" && typeof data["resource"] === "string") {
    const service = names.get(data["resource"]);
    add("resource", service?.key, service?.name);
  }
  for (const provider of providersOf(record)) {
    add(provider.type, provider.key, names.get(nameKey(provider.type, provider.key))?.name);
  }
  return [...links.values()];
}
