import { directoryAway } from "../../permissions/groups/directory-away.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { parseScope } from "../../protocol/scope.js";
import { isServiceScope, serviceAccess, type ServiceParties } from "./service-access.js";

/** What is asked for. */
export interface WantedScopes {
  /** The parameter `scope`; absent: everything. */
  readonly wanted: string | undefined;
  /** What an assertion allows; absent: everything. */
  readonly asserted?: readonly string[] | undefined;
}

/**
 * What request, assertion, client and person have in common at a service; at least one. What one of them lacks is left out, and the
 * answer says what is left (RFC 6749 §3.3). What the service does not know is an error: `invalid_scope`.
 */
export function decideServiceScopes(
  parties: ServiceParties,
  { wanted, asserted }: WantedScopes,
): readonly string[] | OAuthError {
  const { name, supportedScopes } = parties.resource;
  const requested = wanted === undefined ? [] : parseScope(wanted);
  if (requested === undefined) return invalidScope("malformed_scope", "The scope is malformed.");
  // Some clients ask for `openid` and `offline_access` wherever they are; nothing of that is given here.
  const named = requested.filter(isServiceScope);
  const unknown = named.filter((scope) => !supportedScopes.includes(scope));
  if (unknown.length > 0)
    return invalidScope("scope_not_supported", `${name} does not know: ${unknown.join(" ")}.`);
  const known = named.length > 0 ? named : supportedScopes;
  const wish = asserted === undefined ? known : known.filter((scope) => asserted.includes(scope));
  // An empty wish would be for everything.
  if (wish.length === 0) return nothingLeft(name);
  const { scopes, undecided } = serviceAccess(wish, parties);
  if (scopes.length > 0) return scopes;
  return undecided.length > 0 ? directoryAway() : nothingLeft(name);
}

function nothingLeft(name: string): OAuthError {
  const message = `No requested scope is allowed for both the app and the person at ${name}. Ask an administrator.`;
  return invalidScope("nothing_granted", message);
}

function invalidScope(reason: string, message: string): OAuthError {
  return new OAuthError("invalid_scope", reason, message);
}
