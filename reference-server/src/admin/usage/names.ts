import type { AuditName } from "../../store/audit-search.js";
import type { Store } from "../../store/store.js";
import type { UsageTarget } from "../../store/usage.js";

/** What people, apps, services and connectors are called today. */
export interface UsageNames {
  /** Of a person or a client. */
  readonly of: (id: string) => AuditName | undefined;
  /** `null`: it is gone, or there was none. */
  readonly ofTarget: (target: UsageTarget) => string | null;
}

export async function loadNames(
  store: Pick<Store, "auditSearch" | "usage">,
  { ids, targets }: { readonly ids: readonly string[]; readonly targets: readonly UsageTarget[] },
): Promise<UsageNames> {
  const keysOf = (kind: UsageTarget["kind"]) =>
    targets.filter((target) => target.kind === kind).map(({ key }) => key);
  const [names, found] = await Promise.all([
    store.auditSearch.findNames([...new Set(ids.filter((id) => id !== ""))]),
    store.usage.findTargets({ resources: keysOf("service"), connectors: keysOf("connector") }),
  ]);
  const byId = new Map(names.map((name) => [name.id, name]));
  const byTarget = new Map(found.map(({ kind, key, name }) => [`${kind} ${key}`, name]));
  return {
    of: (id) => byId.get(id),
    ofTarget: ({ kind, key }) => byTarget.get(`${kind} ${key}`) ?? null,
  };
}
