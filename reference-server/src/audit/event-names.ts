import type { AuditRecord } from "../store/audit-events.js";
import type { AuditName } from "../store/audit-search.js";
import type { Store } from "../store/store.js";

type NamedParts = Pick<AuditRecord, "type" | "actorId" | "subject" | "clientId" | "data">;

/** What the people, clients, resources and providers of some events are called now, by `nameKey`. */
export async function loadEventNames(
  store: Pick<Store, "auditSearch">,
  events: readonly NamedParts[],
): Promise<ReadonlyMap<string, AuditName>> {
  const ids = new Set(
    events
      .flatMap(({ actorId, subject, clientId, data }) => [actorId, subject, clientId, data["resource"]])
      .filter((id) => typeof id === "string"),
  );
  const providerKeys = new Set(events.flatMap((event) => providersOf(event).map(({ key }) => key)));
  if (ids.size === 0 && providerKeys.size === 0) return new Map();
  const names = await store.auditSearch.findNames([...ids], [...providerKeys]);
  return new Map(names.map((name) => [nameKey(name.type, name.id), name]));
}

/** The key of a name in a map: its id, with the type before a provider's, whose key is unique among providers only. */
export function nameKey(type: AuditName["type"], id: string): string {
  return type === "identity-provider" || type === "group-provider" ? `${type} ${id}` : id;
}

/** The sign-in providers and the group providers that an event is about. */
export function providersOf({ type, data }: Pick<NamedParts, "type" | "data">): readonly {
  readonly type: "identity-provider" | "group-provider";
  readonly key: string;
}[] {
  const { group } = data;
  const ofGroup =
    typeof group === "object" && group !== null && "provider" in group ? group.provider : undefined;
  const found = [
    { type: "identity-provider" as const, key: data["provider"] },
    { type: "identity-provider" as const, key: type.startsWith("provider.") ? data["key"] : undefined },
    { type: "group-provider" as const, key: data["groupProvider"] },
    { type: "group-provider" as const, key: type.startsWith("group_provider.") ? data["key"] : undefined },
    { type: "group-provider" as const, key: ofGroup },
  ];
  return found.flatMap(({ type: kind, key }) => (typeof key === "string" ? [{ type: kind, key }] : []));
}
