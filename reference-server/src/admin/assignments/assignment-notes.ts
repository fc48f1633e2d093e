import type { Store } from "../../store/store.js";
import { roleScopes } from "../../store/system-scopes.js";
import type { GroupName } from "../../store/group-providers.js";
import type { ChangeReach } from "../door/call.js";
import type { ChangedAssignments, WantedAssignment } from "../../registry/assignment.js";
import { inPortions } from "../../registry/in-portions.js";
import { sample } from "../../registry/scope.js";
import type { Message } from "../../text/message.js";
import { note } from "../door/note.js";

/**
 * What a change of assignments reaches, and what an administrator should know about those it names, before saving.
 *
 * @param result - what came of the change; asked after it
 */
export function reachOfAssignments(
  {
    create,
    remove,
  }: {
    readonly create: readonly WantedAssignment[];
    readonly remove: readonly string[];
  },
  result: () => Pick<ChangedAssignments, "created"> | undefined = () => undefined,
): ChangeReach {
  let strange: readonly string[] = [];
  return {
    scopes: async (store) => {
      // Before the change, which makes every group that it names a known one.
      strange = await findStrangeGroups(create, store);
      const removed = await inPortions(remove, (ids) => store.assignments.findAll(ids));
      return [...new Set([...create, ...removed].map(({ scope }) => scope))];
    },
    notes: async (store) => [
      ...(await noteAddresses(create, store)),
      ...(strange.length === 0 ? [] : [noteNames("strangeGroups", strange)]),
      ...noteGroupRoles(create),
      ...noteHeld(create, result()),
    ],
  };
}

/** Groups that would give a role here: their provider decides who has it. */
function noteGroupRoles(create: readonly WantedAssignment[]): readonly Message[] {
  const groups = create.flatMap(({ group, scope }) =>
    group !== undefined && roleScopes.some((role) => role === scope) ? group.key : [],
  );
  return groups.length === 0 ? [] : [noteNames("groupRoles", [...new Set(groups)])];
}

/** Assignments that exist already: the administrator may have meant another one. */
function noteHeld(
  create: readonly WantedAssignment[],
  result: Pick<ChangedAssignments, "created"> | undefined,
): readonly Message[] {
  if (result === undefined) return [];
  const created = new Set(result.created.map(identify));
  const held = create.filter((wanted) => !created.has(identify(wanted)));
  if (held.length === 0) return [];
  return [
    noteNames("held", [
      ...new Set(held.map(({ email, group, scope }) => `${email ?? group?.key} (${scope})`)),
    ]),
  ];
}

function identify({
  email,
  group,
  scope,
}: {
  readonly email?: string | null | undefined;
  readonly group?: { readonly provider: string; readonly key: string } | null | undefined;
  readonly scope: string;
}): string {
  return JSON.stringify([email ?? null, group?.provider ?? null, group?.key ?? null, scope]);
}

/** Groups that are named for the first time: new ones, or misspelled ones without members. */
async function findStrangeGroups(
  create: readonly WantedAssignment[],
  store: Pick<Store, "groupProviders">,
): Promise<readonly string[]> {
  const named = create.flatMap(({ group }) => group ?? []);
  if (named.length === 0) return [];
  const known = await store.groupProviders.findKnownGroups(named);
  const isKnown = (group: GroupName) =>
    known.some(({ provider, key }) => provider === group.provider && key === group.key);
  return [...new Set(named.filter((group) => !isKnown(group)).map(({ key }) => key))];
}

async function noteAddresses(
  create: readonly WantedAssignment[],
  store: Pick<Store, "assignments" | "identityProviders">,
): Promise<readonly Message[]> {
  const emails = [...new Set(create.flatMap(({ email }) => email ?? []))];
  if (emails.length === 0) return [];
  const providers = await store.identityProviders.listEnabled();
  const open = providers.some(({ allowedEmailDomains }) => allowedEmailDomains.length === 0);
  const domains = new Set(providers.flatMap(({ allowedEmailDomains }) => allowedEmailDomains));
  const shutOut = open ? [] : emails.filter((email) => !domains.has(email.slice(email.lastIndexOf("@") + 1)));
  const people = await store.assignments.findPeople(emails);
  const known = new Set(people.map(({ email }) => email));
  const strangers = emails.filter((email) => !known.has(email) && !shutOut.includes(email));
  const disabled = people.filter(({ enabled }) => !enabled).map(({ email }) => email);
  return [
    ...(strangers.length === 0 ? [] : [noteNames("strangers", strangers)]),
    ...(shutOut.length === 0 ? [] : [noteNames("shutOut", shutOut)]),
    ...(disabled.length === 0 ? [] : [noteNames("disabled", disabled)]),
  ];
}

function noteNames(
  code: "strangers" | "shutOut" | "strangeGroups" | "disabled" | "held" | "groupRoles",
  all: readonly string[],
): Message {
  const { names, more } = sample(all);
  return note(code, { names, more });
}
