import type { Message } from "../../text/message.js";
import { loadScopesOfGroups } from "../groups/reach-of-groups.js";
import { note } from "../door/note.js";
import type { Caller, ChangeReach } from "../door/call.js";

/**
 * The scopes that people have by groups that this provider names, and what ends: the way in of people, their sessions, or at
 * another issuer what is known of their accounts.
 */
export function reachOfProvider(
  key: string,
  lost: {
    readonly now: Date;
    readonly caller: Caller;
    readonly ends: boolean;
    readonly issuer?: string | undefined;
  },
): ChangeReach {
  let notes: readonly Message[] = [];
  return {
    scopes: async (store) => {
      const found = await store.identityProviders.findByKey(key);
      if (found === undefined) return [];
      const moves = lost.issuer !== undefined && lost.issuer !== found.issuer;
      if ((lost.ends && found.enabled) || moves) {
        const people = lost.ends && found.enabled ? await store.users.countDependent(found.id) : 0;
        const accounts = moves ? ((await store.identityProviders.describe(key))?.people ?? 0) : 0;
        const sessions = await store.browserSessions.countLive({ providerId: found.id, now: lost.now });
        const { caller } = lost;
        const own = caller.type === "user" && caller.session.providerId === found.id;
        notes = describeLoss({ people, accounts, sessions, own, name: found.name });
      }
      const groups = await store.groupProviders.findByIdentityProvider(found.id);
      if (groups === undefined) return [];
      const compared = await loadScopesOfGroups(store, groups.id);
      notes = [...notes, ...compared.notes];
      return compared.scopes;
    },
    notes: async () => notes,
  };
}

function describeLoss({
  people,
  accounts,
  sessions,
  own,
  name,
}: {
  readonly people: number;
  readonly accounts: number;
  readonly sessions: number;
  /** The caller's own session began there. */
  readonly own: boolean;
  readonly name: string;
}): readonly Message[] {
  return [
    ...(own ? [note("ownProvider", { provider: name })] : []),
    ...(people > 0 ? [note("signInLost", { people, provider: name })] : []),
    ...(accounts > 0 ? [note("accountsForgotten", { people: accounts, provider: name })] : []),
    ...(sessions > 0 ? [note("providerSessionsEnd", { count: sessions })] : []),
  ];
}
