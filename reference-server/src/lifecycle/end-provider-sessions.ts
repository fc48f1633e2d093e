import type { ProviderSessions } from "../store/browser-sessions.js";
import { type EndCause, isExempt, type LifecycleWork } from "./cause.js";
import { type EndedThings, nothingEnded } from "./end-person.js";
import { revokeGrants, revokeSessions } from "./revoke.js";

/**
 * Ends the browser sessions that began in a session at a provider, or all of a person's there; with `apps` the apps of their people, too.
 * A person who is exempt from what providers say keeps both.
 *
 * @param options.until - what began later stays; default: everything ends
 */
export async function endProviderSessions(
  target: ProviderSessions,
  options: { readonly apps: boolean; readonly cause: EndCause; readonly until?: Date | undefined },
  work: LifecycleWork,
): Promise<EndedThings> {
  const { apps, cause, until } = options;
  return await work.store.transaction(async (store) => {
    const found = await store.browserSessions.listOfProvider(target, until);
    const named = target.userId === undefined ? [] : [target.userId];
    const people = [...new Set([...named, ...found.map(({ userId }) => userId)])].sort();
    let { sessions, grants, unused } = nothingEnded;
    for (const userId of people) {
      if (await isExempt(userId, cause, store)) continue;
      const sessionIds = found.flatMap((session) => (session.userId === userId ? session.id : []));
      sessions += await revokeSessions({ sessionIds }, { ...work, store });
      if (!apps) continue;
      const ended = await revokeGrants({ userId, until, reason: "ended_by_provider" }, { ...work, store });
      grants += ended.grants;
      unused += ended.unused;
    }
    return { ...nothingEnded, sessions, grants, unused };
  });
}
