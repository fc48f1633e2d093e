import type { AuditRecord } from "../../store/audit-events.js";
import type { AuditName } from "../../store/audit-search.js";
import type { AuditLink } from "./schemas.js";

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
};

/** Members that name an object wherever they are. */
const members: Readonly<Record<string, AuditLink["type"]>> = {
  grantId: "log-in",
  sessionId: "session",
  provider: "identity-provider",
  groupProvider: "group-provider",
};

/** The objects that an event is about, each once. Whether they still exist is not said. */
export function linksOf(record: AuditRecord, names: ReadonlyMap<string, AuditName>): AuditLink[] {
  const { type, actorType, actorId, subject, clientId, data } = record;
  const links = new Map<string, AuditLink>();
  const add = (kind: AuditLink["type"], id: unknown) => {
    if (typeof id === "string" && id !== "") links.set(`${kind} ${id}`, { type: kind, id });
  };
  const [about = ""] = type.split(".");
  const object = Object.hasOwn(objects, about) ? objects[about] : undefined;
  if (object !== undefined) add(object.type, data[object.member]);
  if (about === "installation") add("settings", "installation");
  add("user", subject);
  if (actorType === "user" || actorType === "client") add(actorType, actorId);
  add("client", clientId);
  for (const [member, kind] of Object.entries(members)) add(kind, data[member]);
  if (about !== "catalog" && typeof data["resource"] === "string") {
    add("resource", names.get(data["resource"])?.key);
  }
  return [...links.values()];
}
