import type { LifecycleWork } from "../../lifecycle/cause.js";
import { type EndedThings, enablePerson, endPerson, nothingEnded } from "../../lifecycle/end-person.js";
import { revokeGrants, revokeSessions } from "../../lifecycle/revoke.js";
import type { Store } from "../../store/store.js";
import { notFound, requireVersion } from "../../registry/refusal.js";
import type { ListedUser } from "../../store/users.js";
import { hasRole } from "../door/access.js";
import type { AdminCall, AdminWork, ChangeReach } from "../door/call.js";
import { AdminRefusal } from "../door/refusals.js";
import type { Message } from "../../text/message.js";
import { note } from "../door/note.js";
import type { SignOut, User, UserPatch } from "./schemas.js";
import { requireChangeable, type RoleSources } from "./changeable.js";
import { loadUser, mayEnable, showUsers } from "./show-user.js";

interface UserChange {
  readonly id: string;
  readonly change: UserPatch;
  readonly version: number;
}

/**
/**
 * Enables or disables a person. Support does not touch holders of roles, and enables only those whom support disabled. Everything of a
 * disabled person ends in the same transaction, and a sign-in that is under way waits for its end.
 *
 * @throws {Refusal} `not_found`, `version_conflict`
 */
export async function changeUser(
  { id, change: { enabled }, version }: UserChange,
  work: AdminWork & Pick<AdminCall, "actor" | "requestId"> & Pick<RoleSources, "directories">,
): Promise<{ readonly user: User; readonly ended: EndedThings }> {
  const { store, at, actor, caller } = work;
  const show = async (user: ListedUser): Promise<User> => {
    const [shown] = await showUsers([user], work);
    if (shown === undefined) throw new Error("A person has nothing to show.");
    return shown;
  };
  if (!(await store.users.lock(id))) throw notFound("person");
  const found = await loadUser(store, { id, now: at });
  await requireChangeable([found], caller, work);
  if (enabled && !mayEnable(found, caller)) throw new AdminRefusal("forbidden", "disabledByOther");
  requireVersion(await show(found), version);
  const by = hasRole(caller, "administrator") ? "administrator" : "support";
  let ended: EndedThings | undefined;
  if (enabled && !found.enabled) await enablePerson(id, work);
  else if (!enabled && found.enabled) {
    ended = await endPerson(id, { by, user: "id" in actor ? actor.id : actor.type }, work);
  } else if (!enabled && by === "administrator" && found.disabledBy !== by) {
    // An administrator who disables a disabled person takes over: support and providers do not enable them any more.
    await store.users.takeOverDisabled(id, at);
    await work.audit({ type: "user.changed", subject: id, data: { enabled: { from: false, to: false } } });
  } else return { user: await show(found), ended: nothingEnded };
  return { user: await show(await loadUser(store, { id, now: at })), ended: ended ?? nothingEnded };
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
