import { type AskOutlook, loadAskOutlook } from "../../access-requests/outlook.js";
import { findTarget, type FoundTarget, type WantedTarget } from "../../access-requests/target.js";
import type { AccessPage, HeldScope } from "../../pages/access-page.js";
import type { GrantedScope } from "../../permissions/decide.js";
import { isRequestable } from "../../access-requests/ask.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import type { Parameters } from "../../protocol/parameters.js";
import type { Store } from "../../store/store.js";

/** A place that a page or a form names: a service, a connector, or, without either, this installation itself. */
export interface Place {
  /** As the page and its form name it. */
  readonly named: Readonly<Record<string, string>>;
  readonly wanted: WantedTarget;
  readonly found: FoundTarget;
  /** `undefined`: this installation itself. */
  readonly name: string | undefined;
}

/** `undefined`: nothing is there, or it is switched off. */
export async function findPlace(
  parameters: Parameters | undefined,
  { connectors, resources }: Pick<Store, "connectors" | "resources">,
): Promise<Place | undefined> {
  if (parameters === undefined) return undefined;
  const service = parameters.get("service");
  const connector = parameters.get("connector");
  if (service !== undefined) {
    const resource = await resources.findByKey(service);
    // What agents use at this server itself is asked for there.
    if (resource?.builtIn === true) return undefined;
    return placeOf({ service }, { resource }, resource?.name);
  }
  if (connector !== undefined) {
    const known = await connectors.findByKey(connector);
    return placeOf({ connector }, { connector: known }, known?.name);
  }
  return placeOf({}, { installation: true }, undefined);
}

function placeOf(named: Place["named"], wanted: WantedTarget, name: string | undefined): Place | undefined {
  const found = findTarget(wanted);
  return found && { named, wanted, found, name };
}

/** Loads what the page says about a place, without its form. */
export async function loadAccess(
  { found, name }: Place,
  permissions: Permissions,
  store: Pick<Store, "accessRequests" | "scopes">,
): Promise<Omit<AccessPage, "form" | "csrfToken"> & Pick<AskOutlook, "requestable" | "open">> {
  const { granted, missing, requestable, open, last } = await loadAskOutlook({ permissions, found }, store);
  const stuck = missing.filter((scope) => !isRequestable(scope));
  const keys = [...granted, ...stuck].map(({ scope }) => scope);
  const words = new Map((await store.scopes.findAll(keys)).map(({ key, description }) => [key, description]));
  const worded = (key: string) => ({ key, description: words.get(key) ?? key });
  return {
    name,
    last,
    requestable,
    open,
    held: granted.map((grant) => ({ ...worded(grant.scope), ...describeGrant(grant) })),
    stuck: stuck.map(({ scope, reason }) => ({
      ...worded(scope),
      reason: reason === "directory_unavailable" ? reason : "other",
    })),
  };
}

/** An address counts more than groups: whoever has it by both keeps it when they leave the group. */
function describeGrant({ by }: GrantedScope): Pick<HeldScope, "groups" | "until"> {
  const groups = by.flatMap((rule) =>
    rule.type === "group" ? [{ key: rule.group.key, provider: rule.group.provider.name }] : [],
  );
  return { groups: groups.length < by.length ? [] : groups, until: lastEnd(by) };
}

/** When the last of these rules ends; `undefined`: one is for good. */
export function lastEnd(by: GrantedScope["by"]): Date | undefined {
  const ends = by.map(({ until }) => until);
  if (ends.length === 0 || ends.includes(undefined)) return undefined;
  return new Date(Math.max(...ends.map((end) => Date.parse(end ?? ""))));
}
