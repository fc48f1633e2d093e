import type { GroupDirectories } from "../../permissions/groups/directories.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { effectiveScopes, type Permissions, undecidedScopes } from "../../permissions/effective-scopes.js";
import { loadPermissions } from "../../permissions/load-permissions.js";
import { loginScope } from "../../store/system-scopes.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";
import type { AuthenticatedAccess } from "./authenticate-access-token.js";
import type { ProtectedRequest } from "../../platform/http/protected-request.js";

/** The person behind a request of their client, and what they may do at this moment. */
export interface Caller {
  readonly user: User;
  readonly clientId: string;
  readonly permissions: Permissions;
}

/** Verifies a request to what a person's client may ask for. @throws {OAuthError} */
export type IdentifyCaller = (request: ProtectedRequest) => Promise<Caller>;

export interface IdentifyCallerOptions {
  readonly store: Pick<Store, "assignments">;
  readonly directories: GroupDirectories;
  /** Verifies token, proof and grant. @throws {OAuthError} */
  readonly authenticate: (
    request: ProtectedRequest,
  ) => Promise<Pick<AuthenticatedAccess, "user" | "clientId" | "scopes" | "ceiling">>;
}

/** Creates the check that `/api/me` and everything below begins with: the token, and the permission to log in. */
export function createIdentifyCaller(options: IdentifyCallerOptions): IdentifyCaller {
  const { store, directories, authenticate } = options;
  return async (request) => {
    const { user, clientId, scopes, ceiling } = await authenticate(request);
    if (!scopes.includes(loginScope)) throw loginNotConsented();
    const held = await loadPermissions(user, { store, directories });
    const permissions = ceiling === null ? held : withinCeiling(held, ceiling);
    if (undecidedScopes(permissions).has(loginScope)) throw directoryAway();
    if (!effectiveScopes(permissions).has(loginScope)) throw loginNotAllowed();
    return { user, clientId, permissions };
  };
}

/** What a limited client may use of what its person holds. */
function withinCeiling(permissions: Permissions, ceiling: readonly string[]): Permissions {
  const reaches = ({ scope }: { readonly scope: string }) => ceiling.includes(scope);
  const { assignments, undecided } = permissions;
  return { ...permissions, assignments: assignments.filter(reaches), undecided: undecided.filter(reaches) };
}

/** A client that only asked who somebody is reads nothing else about them. */
function loginNotConsented(): OAuthError {
  const message = `The access token does not have the scope ${loginScope}. Sign in again and ask for it.`;
  return new OAuthError("insufficient_scope", "login_not_consented", message);
}

function loginNotAllowed(): OAuthError {
  const message = `The permission ${loginScope} is missing. Ask an administrator for it.`;
  return new OAuthError("insufficient_scope", "login_not_allowed", message);
}
