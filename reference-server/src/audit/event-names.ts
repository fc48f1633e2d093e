import type { AuditRecord } from "../store/audit-events.js";
import type { AuditName } from "../store/audit-search.js";
import type { Store } from "../store/store.js";

type NamedParts = Pick<AuditRecord, "actorId" | "subject" | "clientId" | "data">;

/** What the people, the clients and the resources of some events are called now, by id. */
export async function loadEventNames(
  store: Pick<Store, "auditSearch">,
  events: readonly NamedParts[],
): Promise<ReadonlyMap<string, AuditName>> {
  const ids = new Set(
    events
      .flatMap(({ actorId, subject, clientId, data }) => [actorId, subject, clientId, data["resource"]])
      .filter((id) => typeof id === "string"),
  );
  if (ids.size === 0) return new Map();
  return new Map((await store.auditSearch.findNames([...ids])).map((name) => [name.id, name]));
}
