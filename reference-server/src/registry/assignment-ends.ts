import type { EndedAssignment, EndingAssignment } from "../store/assignments.js";
import type { RegistryChange, Work } from "./work.js";

/** Most assignments of one round; the next one takes the rest. */
export const mostAtOnce = 500;

/**
 * Removes expired assignments: of one scope, of one group provider, or all. Returns their number.
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

/** Announces assignments that end soon, each once. */
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

/** The events of assignments that were replaced or have expired. */
export function describeEnded(ended: readonly EndedAssignment[]): readonly RegistryChange[] {
  return ended.flatMap((item) =>
    describeAssignment(item.over ? "assignment.expired" : "assignment.removed", item),
  );
}

/** The events of an assignment. */
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
