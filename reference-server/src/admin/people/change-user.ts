import { revokeGrants, revokeSessions, type Revoking } from "../../sign-in/revoke.js";
import type { RevocationReason } from "../../store/grants.js";
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
 * Enables or disables a person. A disabled person's sessions and grants end in the same transaction, and a sign-in that
 * is under way waits for its end.
 *
 * @throws {Refusal} `not_found`, `version_conflict`
 */
export async function changeUser(
  { id, change: { enabled }, version }: UserChange,
  work: Work & Pick<AdminCall, "actor" | "requestId">,
): Promise<{ readonly user: User; readonly ended: SignOut }> {
  const { store, at, audit } = work;
  const nothing = { sessions: 0, grants: 0 };
  if (!(await store.users.lock(id))) throw notFound("person");
  const found = await loadUser(store, { id, now: at });
  requireVersion(showUser(found), version);
  if (found.enabled === enabled) return { user: showUser(found), ended: nothing };
  await store.users.setEnabled(id, enabled, at);
  await audit({
    type: "user.changed",
    subject: id,
    data: { enabled: { from: found.enabled, to: enabled } },
  });
  const ended = enabled ? nothing : await signOutUser({ userId: id, reason: "user_disabled" }, work);
  return { user: showUser(await loadUser(store, { id, now: at })), ended };
}

/** Ends every browser session and every grant of a person, and says how many there were. */
export async function signOutUser(
  { userId, reason }: { readonly userId: string; readonly reason: RevocationReason },
  revoking: Revoking,
): Promise<SignOut> {
  const sessions = await revokeSessions({ userId }, revoking);
  const { grants } = await revokeGrants({ userId, reason }, revoking);
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
export function describeSignOut({ sessions, grants }: SignOut): readonly Message[] {
  return [
    ...(sessions > 0 ? [note("sessionsEnd", { count: sessions })] : []),
    ...(grants > 0 ? [note("devicesEnd", { count: grants })] : []),
  ];
}
