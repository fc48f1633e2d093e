import { grantFault, resolvePerson } from "../oauth/grants/person.js";
import { invalidGrant } from "../oauth/grants/grant.js";
import { isWithinCeiling, serviceAccess } from "../oauth/grants/service-access.js";
import { standingFault } from "../oauth/standing.js";
import { directoryAway } from "../permissions/groups/directory-away.js";
import type { GroupDirectories } from "../permissions/groups/directories.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import { OAuthError } from "../protocol/oauth-error.js";
import type { Client } from "../store/clients.js";
import type { Grant } from "../store/grants.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import { loginScope } from "../store/system-scopes.js";

/** The app's session that a call belongs to, and what its person may do at the service now. */
export interface CallSession {
  readonly client: Client;
  readonly grant: Grant;
  readonly person: Permissions;
  /** Of the service, within the grant and the client's ceiling. */
  readonly scopes: readonly string[];
}

export interface SessionSources {
  readonly store: Store;
  readonly directories: GroupDirectories;
  readonly issuer: string;
  readonly now: Date;
}

/** Which session, of whom, through which app. */
export interface SessionClaims {
  readonly sessionId: string;
  readonly subject: string;
  readonly actor: string;
}

/**
 * Loads the session that a challenge names, as things are now: before a person is asked, and again when the token is issued.
 *
 * @throws {OAuthError} It has ended, is stopped, belongs to another person or app, or reaches nothing at the service.
 */
export async function loadSession(
  { sessionId, subject, actor }: SessionClaims,
  resource: Resource,
  { store, directories, issuer, now }: SessionSources,
): Promise<CallSession> {
  const target = { resource: resource.resource, scopes: undefined };
  const found = await store.tokenRequests.findByGrant({ id: sessionId, clientId: actor, target });
  const { client, grant, stopped } = found;
  const person = await resolvePerson(found.person, { store, directories });
  if (client === undefined || grant === undefined || person === undefined)
    throw invalidGrant("unknown_grant");
  if (grant.userId !== subject || grant.clientId !== actor) throw invalidGrant("foreign_grant");
  const ended = grantFault(grant, now);
  if (ended !== undefined) throw invalidGrant(ended);
  if (!client.enabled || !client.trusted) throw invalidGrant("client_disabled");
  if (!person.user.enabled) throw invalidGrant("user_disabled");
  const held = standingFault({ user: person.user, stopped, issuer });
  if (held !== undefined) throw held;
  if (grant.jkt === null && !resource.allowsBearer) {
    const message = `${resource.name} accepts only tokens that are bound to a key. Sign in with a client that uses DPoP.`;
    throw new OAuthError("invalid_target", "bearer_not_allowed", message);
  }
  const scopes = scopesAt(resource, { client, grant, person, ownResource: found.resource });
  return { client, grant, person, scopes };
}

/** @throws {OAuthError} */
function scopesAt(
  resource: Resource,
  {
    client,
    grant,
    person,
    ownResource,
  }: Omit<CallSession, "scopes"> & { readonly ownResource: Resource | undefined },
): readonly string[] {
  const isOwn = grant.resourceId === resource.id;
  const reachesAll =
    grant.resourceId === null
      ? grant.scopes.includes(loginScope) && isWithinCeiling(loginScope, client)
      : ownResource?.builtIn === true && resource.agentCalls;
  if (!isOwn && !reachesAll) throw invalidGrant("other_resource");
  const { scopes, undecided } = serviceAccess(isOwn ? grant.scopes : [], { person, client, resource });
  if (scopes.length > 0) return scopes;
  if (undecided.length > 0) throw directoryAway();
  const message = `The person has no permission at ${resource.name}, or this client may not have it. Ask an administrator.`;
  throw new OAuthError("access_denied", "nothing_granted", message);
}
