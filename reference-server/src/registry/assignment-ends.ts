import type { EndedAssignment, EndingAssignment } from "../store/assignments.js";
import type { RegistryChange, Work } from "./work.js";

/** So many at once; the next round takes the rest. */
export const mostAtOnce = 500;

/**
 * Removes what is over: of one scope, of one group provider, or of all. Returns how many there were.
 *
 * Nothing of it counted any more; the event says that it did.
 */
export async function removeOver(
  which: { readonly scope?: string; readonly providerId?: string },
  { store, auditAll }: Pick<Work, "store" | "auditAll">,
): Promise<number> {
  const ended = await store.assignments.removeOver({ ...which, limit: mostAtOnce });
  if (ended.length > 0) await auditAll(describeEnded(ended));
  return ended.length;
}

/** Announces the ends that are near, each once. */
export async function announceEnds({
  store,
  auditAll,
}: Pick<Work, "store" | "auditAll">): Promise<readonly EndingAssignment[]> {
  const ending = await store.assignments.announce(mostAtOnce);
  if (ending.length > 0) {
    await auditAll(ending.flatMap((item) => describeAssignment("assignment.expiring", item)));
    await store.notifications.record(
      ending.map(({ email, group, scope, expiresAt }) => ({
        type: "assignment.expiring",
        email,
        group,
        scope,
        expiresAt: expiresAt.toISOString(),
      })),
    );
  }
  return ending;
}

/** What the audit trail says of assignments that were removed to make room, or because they were over. */
export function describeEnded(ended: readonly EndedAssignment[]): readonly RegistryChange[] {
  return ended.flatMap((item) =>
    describeAssignment(item.over ? "assignment.expired" : "assignment.removed", item),
  );
}

/** What the audit trail says of an assignment. */
export function describeAssignment(
  type: "assignment.created" | "assignment.removed" | "assignment.expiring" | "assignment.expired",
  {
    email,
    group,
    scope,
    expiresAt,
  }: {
    readonly email?: string | null | undefined;
    readonly group?: { readonly provider: string; readonly key: string } | null | undefined;
    readonly scope: string;
    readonly expiresAt?: Date | null | undefined;
  },
): readonly RegistryChange[] {
  const what = { scope, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) };
  if (typeof email === "string") return [{ type, data: { email, ...what } }];
  if (!group) return [];
  return [{ type, data: { group: { provider: group.provider, key: group.key }, ...what } }];
}
