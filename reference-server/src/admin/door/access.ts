import { directoryAway } from "../../permissions/groups/directory-away.js";
import type { Role } from "../../permissions/roles.js";
import { notFound } from "../../registry/refusal.js";
import type { Owned } from "../../store/owners.js";
import type { MessageKey } from "../../text/message-key.js";
import type { Caller } from "./call.js";
import { AdminRefusal } from "./refusals.js";

/** Who may use a route. Administrators may use every route, and stand first in each list. */
export type RouteAccess = readonly ["administrator", ...Role[]];

export const administrators: RouteAccess = ["administrator"];
/** What an auditor reads as well. */
export const auditors: RouteAccess = ["administrator", "auditor"];
/** What an owner reads as well: rows are filtered, and what belongs to others is not found. */
export const auditorsAndOwners: RouteAccess = ["administrator", "auditor", "owner"];
/** What changes only what an owner decides for. */
export const owners: RouteAccess = ["administrator", "owner"];
export const auditorsAndSupport: RouteAccess = ["administrator", "auditor", "support"];
export const support: RouteAccess = ["administrator", "support"];
/** What everybody with a role may use. */
export const everyRole: RouteAccess = ["administrator", "auditor", "support", "owner"];

/**
 * Requires one of the roles.
 *
 * @throws {AdminRefusal} `forbidden`, which says who may.
 * @throws {OAuthError} `temporarily_unavailable`: only a directory that is away knows whether the caller may.
 */
export function requireAccess({ authority }: Caller, access: RouteAccess | undefined): void {
  // No route has none; if one had, it would be open to administrators only.
  const allowed = access ?? administrators;
  if (allowed.some((role) => authority.roles.has(role))) return;
  if (allowed.some((role) => authority.undecided.has(role))) throw directoryAway();
  const names = allowed.map((role) => ({ key: `administration.roles.${role}` as MessageKey }));
  throw new AdminRefusal("forbidden", "forbidden", { roles: { any: names } });
}

/** Whether the caller has one of these roles. */
export function hasRole({ authority }: Caller, ...some: readonly Role[]): boolean {
  return some.some((role) => authority.roles.has(role));
}

/** What a caller who sees no more than that owns; `undefined`: they see everything. */
export function ownedOnly(caller: Caller): Owned | undefined {
  return hasRole(caller, "administrator", "auditor") ? undefined : caller.authority.owned;
}

/** The ids of the services or connectors that a caller sees; `undefined`: all. */
export function seenIds(caller: Caller, kind: keyof Owned & ("services" | "connectors")) {
  return ownedOnly(caller)?.[kind].map(({ id }) => id);
}

/** @throws {Refusal} `not_found`: the service belongs to others */
export function requireSeenService(caller: Caller, key: string): void {
  const owned = ownedOnly(caller);
  if (owned?.services.every((service) => service.key !== key) === true) throw notFound("resource", { key });
}

/** @throws {Refusal} `not_found`: the connector belongs to others */
export function requireSeenConnector(caller: Caller, key: string): void {
  const owned = ownedOnly(caller);
  if (owned?.connectors.every((connector) => connector.key !== key) === true) {
    throw notFound("connector", { key });
  }
}

/** @throws {Refusal} `not_found`: no service or connector of the caller knows the scope */
export function requireSeenScope(caller: Caller, key: string): void {
  if (ownedOnly(caller)?.scopes.includes(key) === false) throw notFound("scope", { key });
}

/** Whether the caller may give and take a scope. */
export function decides(caller: Caller, scope: string): boolean {
  return hasRole(caller, "administrator") || caller.authority.owned.decidable.includes(scope);
}
