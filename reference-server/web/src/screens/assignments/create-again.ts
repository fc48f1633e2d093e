import type { Assignment, NewAssignment } from "@admin/assignments";

/** The API's limit per request. */
const most = 1000;

/**
 * The assignments that undo a removal, with the remaining time of each.
 *
 * @returns `undefined` if not all removed assignments are known, if they are too many for one request, or none is left
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
