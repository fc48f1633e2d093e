import type { Assignment, NewAssignment } from "@admin/assignments";

/** As many as one request of the API takes. */
const most = 1000;

/**
 * What gives again what was removed, for as long as it would have counted.
 *
 * @returns `undefined` when it is not known of each what it was, when there are too many for one change, or nothing is left to give
 */
export function toCreateAgain(
  known: readonly Assignment[],
  removed: readonly string[],
  now: number,
): readonly NewAssignment[] | undefined {
  const byId = new Map(known.map((assignment) => [assignment.id, assignment]));
  const before = removed.flatMap((id) => byId.get(id) ?? []);
  if (before.length < removed.length || removed.length > most) return undefined;
  const create = before
    .filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now)
    .flatMap(({ email, group, scope, expiresAt }): readonly NewAssignment[] => {
      const ending = expiresAt !== null && { expiresAt };
      if (email !== null) return [{ email, scope, ...ending }];
      if (group === null) return [];
      return [{ group: { provider: group.provider, key: group.key }, scope, ...ending }];
    });
  return create.length === 0 ? undefined : create;
}
