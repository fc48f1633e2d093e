import { sample } from "../../registry/scope.js";
import type { ListedClient } from "../../store/clients.js";
import type { Store } from "../../store/store.js";
import type { Message } from "../../text/message.js";
import type { ChangeReach } from "../door/call.js";
import { note } from "../door/note.js";

type Stores = Pick<Store, "clients" | "grants">;

/** What the change of a client means for the client itself, and for the people who are signed in with it. */
export function reachOfClient(id: string, now: Date): ChangeReach {
  let before: ListedClient | undefined;
  return {
    scopes: async (store) => {
      before = await store.clients.describe(id, now);
      return [];
    },
    notes: async (store) => await describeChange(before, { id, store, now }),
  };
}

async function describeChange(
  before: ListedClient | undefined,
  { id, store, now }: { readonly id: string; readonly store: Stores; readonly now: Date },
): Promise<readonly Message[]> {
  const after = await store.clients.describe(id, now);
  const people = after === undefined ? 0 : await store.grants.countPeople({ clientId: id, now });
  return [
    ...describeList("machineLoses", without(machineScopes(before), machineScopes(after))),
    ...describeList("machineGains", without(machineScopes(after), machineScopes(before))),
    ...(before === undefined || after === undefined ? [] : describeUse(before, { after, people })),
    ...describeList("clientKeysGone", without(kidsOf(before), kidsOf(after))),
    ...(after === undefined
      ? []
      : describeList("redirectsGone", without(before?.redirectUris ?? [], after.redirectUris))),
  ];
}

/** An app for people: whether it may act at all, and what it may get at most. */
function describeUse(
  before: ListedClient,
  { after, people }: { readonly after: ListedClient; readonly people: number },
): readonly Message[] {
  if (after.type === "machine") return [];
  if (before.enabled && !after.enabled) return [note("clientStops", { people })];
  if (!after.enabled) return [];
  const resumes = before.enabled ? [] : [note("clientResumes", { people })];
  const [was, is] = [ceilingOf(before), ceilingOf(after)];
  if (JSON.stringify(was) === JSON.stringify(is)) return resumes;
  if (is === undefined) return [...resumes, note("ceilingGone", { people })];
  const { names, more, count } = sample(is);
  return [...resumes, note("ceilingSet", { names, more, count, people })];
}

/** What a machine can get now. */
function machineScopes(client: ListedClient | undefined): readonly string[] {
  return client?.enabled === true ? client.machineScopes : [];
}

/** `undefined`: there is no limit. */
function ceilingOf({ limited, ceiling }: ListedClient): readonly string[] | undefined {
  return limited ? [...ceiling].sort() : undefined;
}

function kidsOf(client: ListedClient | undefined): readonly string[] {
  return client?.keys.map(({ kid }) => kid) ?? [];
}

function without(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.filter((item) => !other.includes(item));
}

function describeList(
  code: "machineGains" | "machineLoses" | "clientKeysGone" | "redirectsGone",
  all: readonly string[],
): readonly Message[] {
  if (all.length === 0) return [];
  const { names, more, count } = sample(all);
  return [note(code, { names, more, count })];
}
