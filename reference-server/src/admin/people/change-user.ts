import type { LifecycleWork } from "../../lifecycle/cause.js";
import { type EndedThings, enablePerson, endPerson, nothingEnded } from "../../lifecycle/end-person.js";
import { revokeGrants, revokeSessions } from "../../lifecycle/revoke.js";
import type { Store } from "../../store/store.js";
import { notFound, requireVersion } from "../../registry/refusal.js";
import type { Work } from "../../registry/work.js";
import type { AdminCall, ChangeReach } from "../door/call.js";
import type { Message } from "../../text/message.js";
import { note } from "../door/note.js";
import type { SignOut, User, UserPatch } from "./schemas.js";
import { loadUser, showUser } from "./show-user.js";

interface UserChange {
  readonly id: string;
  readonly change: UserPatch;
  readonly version: number;
}

/**
 * Enables or disables a person. Everything of a disabled person ends in the same transaction, and a sign-in that is under way waits for
 * its end.
 *
 * @throws {Refusal} `not_found`, `version_conflict`
 */
export async function changeUser(
  { id, change: { enabled }, version }: UserChange,
  work: Work & Pick<AdminCall, "actor" | "requestId">,
): Promise<{ readonly user: User; readonly ended: EndedThings }> {
  const { store, at, actor } = work;
  if (!(await store.users.lock(id))) throw notFound("person");
  const found = await loadUser(store, { id, now: at });
  requireVersion(showUser(found), version);
  if (found.enabled === enabled) return { user: showUser(found), ended: nothingEnded };
  if (enabled) await enablePerson(id, work);
  const by = "id" in actor ? actor.id : actor.type;
  const ended = enabled ? nothingEnded : await endPerson(id, { by: "administrator", user: by }, work);
  return { user: showUser(await loadUser(store, { id, now: at })), ended: ended ?? nothingEnded };
}

/** Ends every browser session and every grant of a person, and says how many there were. */
export async function signOutUser(userId: string, work: LifecycleWork): Promise<SignOut> {
  const sessions = await revokeSessions({ userId }, work);
  const { grants } = await revokeGrants({ userId, reason: "revoked_by_administrator" }, work);
  return { sessions, grants };
}

/** The scopes of the person, who is the only one affected. */
export function reachOfUser(id: string): ChangeReach {
  return {
    emails: async (store: Store) => {
      const email = (await store.users.find(id))?.email ?? null;
      return email === null ? [] : [email];
    },
    scopes: async (store: Store) => {
      const user = await store.users.find(id);
      if (user === undefined) return [];
      const { rules } = await store.assignments.listFor({ userId: id, email: user.email });
      return [...new Set(rules.map(({ scope }) => scope))];
    },
  };
}

/** What ends beside permissions, in sentences. */
export function describeEnded({ sessions, grants, connections, requests }: EndedThings): readonly Message[] {
  return [
    ...(sessions > 0 ? [note("sessionsEnd", { count: sessions })] : []),
    ...(grants > 0 ? [note("devicesEnd", { count: grants })] : []),
    ...(connections > 0 ? [note("connectionsBlock", { count: connections })] : []),
    ...(requests > 0 ? [note("requestsEnd", { count: requests })] : []),
  ];
}
