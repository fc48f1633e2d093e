import type { PermissionHolder, UncountedGroup } from "../../store/permission-holders.js";
import type { Store } from "../../store/store.js";
import type { Impact, ScopeImpact } from "./impact-schema.js";
import { isoTime } from "./list-query.js";

/** Who has some scopes at one moment. */
export interface HoldersAtOneMoment {
  readonly holders: readonly PermissionHolder[];
  readonly groups: readonly UncountedGroup[];
}

/** More are a list, not a sample. */
const sampleSize = 5;

export async function loadHolders(
  store: Pick<Store, "permissionHolders">,
  {
    scopes,
    now,
    emails,
  }: {
    readonly scopes: readonly string[];
    readonly now: Date;
    readonly emails?: readonly string[] | undefined;
  },
): Promise<HoldersAtOneMoment> {
  if (scopes.length === 0) return { holders: [], groups: [] };
  return {
    holders: await store.permissionHolders.list(scopes, now, emails),
    groups: await store.permissionHolders.listUncountedGroups(scopes),
  };
}

/** Who gains and who loses which scope between two moments. */
export function compareHolders(
  before: HoldersAtOneMoment,
  after: HoldersAtOneMoment,
): Pick<Impact, "gains" | "losses"> {
  return { gains: additions(before, after, { ends: true }), losses: additions(after, before) };
}

/** Adds the names of the services and connectors where each scope counts: an assignment counts at all of them. */
export async function namePlaces(
  impacts: readonly ScopeImpact[],
  store: Pick<Store, "scopes">,
): Promise<ScopeImpact[]> {
  const places = await store.scopes.findPlaces(impacts.map(({ scope }) => scope));
  return impacts.map((impact) => {
    const names = places.get(impact.scope);
    return names === undefined ? impact : { ...impact, places: [...names] };
  });
}

/** `ends`: with the end of what is added; when something would have ended says nothing about losing it now. */
function additions(
  one: HoldersAtOneMoment,
  other: HoldersAtOneMoment,
  { ends: withEnd = false } = {},
): ScopeImpact[] {
  const known = new Set(one.holders.map(identifyHolder));
  const knownGroups = new Set(one.groups.map(identifyGroup));
  const people = other.holders.filter((holder) => !known.has(identifyHolder(holder)));
  const groups = other.groups.filter((group) => !knownGroups.has(identifyGroup(group)));
  return [...new Set([...people, ...groups].map(({ scope }) => scope))].sort().map((scope) => {
    const ends = [...people, ...groups].filter((gain) => gain.scope === scope).map(({ until }) => until);
    const last = ends.includes(null) ? undefined : new Date(Math.max(...ends.map(Number)));
    const emails = people.filter((holder) => holder.scope === scope).map(({ email }) => email);
    return {
      scope,
      people: emails.length,
      sample: emails.sort().slice(0, sampleSize),
      groups: groups
        .filter((group) => group.scope === scope)
        .map(({ provider, key, name }) => ({ provider, key, name })),
      ...(withEnd && last !== undefined && { until: isoTime(last) }),
    };
  });
}

function identifyHolder({ scope, email }: PermissionHolder): string {
  return `${scope} ${email}`;
}

function identifyGroup({ scope, provider, key }: UncountedGroup): string {
  return `${scope} ${provider} ${key}`;
}
