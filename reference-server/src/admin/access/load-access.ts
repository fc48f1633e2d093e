import type { AccessReason } from "../../store/access-lists.js";
import type { Store } from "../../store/store.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import type { AccessHolder, AccessList, AccessQuery } from "./schemas.js";

/** What gives access to something. */
export interface AccessRule {
  readonly scopes: readonly string[];
  /** Whether one of the scopes is enough, or all of them are needed. */
  readonly match: "any" | "every";
}

/** Who has access, one page of them, how many there are, and which assignments say so. */
export async function loadAccess(
  rule: AccessRule,
  {
    query,
    store,
    now,
  }: {
    readonly query: AccessQuery;
    readonly store: Pick<Store, "accessLists" | "permissionHolders">;
    readonly now: Date;
  },
): Promise<AccessList> {
  const { scopes, match } = rule;
  const about = { match, scopes: [...scopes] };
  const wanted = query.scope === undefined ? scopes : scopes.filter((scope) => scope === query.scope);
  if (wanted.length === 0) return { items: [], nextCursor: null, people: 0, groups: [], ...about };
  const question = { scopes: wanted, match, now };
  const [people, groups, page] = await Promise.all([
    store.accessLists.count(question),
    store.permissionHolders.listUncountedGroups(wanted),
    store.accessLists.listPage({ ...toPageRequest(query), ...question }),
  ]);
  const emails = page.items.map(({ email }) => email);
  const reasons = await store.accessLists.listReasons({ emails, scopes, now });
  return {
    ...fromPage(page, {
      query,
      show: (holder): AccessHolder => ({ ...holder, scopes: scopesOf(holder.email, reasons) }),
    }),
    people,
    groups: groups.map(({ scope, provider, key, name }) => ({ provider, key, name, scope })),
    ...about,
  };
}

function scopesOf(email: string, reasons: readonly AccessReason[]): AccessHolder["scopes"] {
  const own = reasons.filter((reason) => reason.email === email);
  return [...new Set(own.map(({ scope }) => scope))].map((scope) => ({
    scope,
    by: own.filter((reason) => reason.scope === scope).map(showReason),
  }));
}

function showReason({
  assignmentId,
  group,
  expiresAt,
}: AccessReason): AccessHolder["scopes"][number]["by"][number] {
  const ending = expiresAt === null ? {} : { until: isoTime(expiresAt) };
  return group === null
    ? { type: "email", assignmentId, ...ending }
    : { type: "group", assignmentId, group, ...ending };
}
