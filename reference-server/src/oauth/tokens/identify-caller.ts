import type { ProofChecker } from "@authz/dpop";
import type { GroupDirectories } from "../../permissions/groups/directories.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { effectiveScopes, type Permissions, undecidedScopes } from "../../permissions/effective-scopes.js";
import { resolvePermissions } from "../../permissions/load-permissions.js";
import type { Store } from "../../store/store.js";
import type { Client } from "../../store/clients.js";
import type { ActiveGrant, Grant } from "../../store/grants.js";
import type { User } from "../../store/users.js";
import { type AuthenticatedAccess, type CheckedAccess, decideAccess } from "./authenticate-access-token.js";
import type { ProtectedRequest } from "../../platform/http/protected-request.js";
import type { OwnTokenClaims } from "./verify-own-token.js";

/** The person behind a request of their client, and what they may do at this moment. */
export interface Caller {
  readonly user: User;
  readonly clientId: string;
  readonly grant: Grant;
  /** Within the ceiling of the client. */
  readonly permissions: Permissions;
  /** How far the client reaches, whoever uses it. */
  readonly client: Pick<Client, "limited" | "ceiling">;
}

/** Verifies a request to what a person's client may ask for. @throws {OAuthError} */
export type IdentifyCaller = (request: ProtectedRequest) => Promise<Caller>;

/** Token and proof of a request, verified by themselves: the store has not been asked yet whether they still count. */
export interface VerifiedCredentials {
  /** Whose token it is, as far as it says. */
  readonly claims: Pick<OwnTokenClaims, "userId" | "clientId" | "grantId" | "jkt">;
  /** Everything else; it uses up the proof. @throws {OAuthError} */
  readonly identify: () => Promise<Caller>;
  /**
   * Whether token, grant, client and person still count. Uses up nothing.
   *
   * @throws {OAuthError} `invalid_token`
   */
  readonly requireLive: () => Promise<void>;
}

/** Verifies token and proof of a request without the store. @throws {OAuthError} */
export type VerifyCredentials = (request: ProtectedRequest) => VerifiedCredentials;

export interface IdentifyCallerOptions {
  readonly store: Pick<Store, "assignments" | "grants">;
  readonly directories: GroupDirectories;
  readonly proofChecker: Pick<ProofChecker, "remember">;
  readonly issuer: string;
  /** What the token must have, and the person hold at this moment. */
  readonly scope: string;
  /** Verifies token and proof. @throws {OAuthError} */
  readonly check: (request: ProtectedRequest) => CheckedAccess;
  /** What must hold beyond that. @throws {OAuthError} */
  readonly require?: (access: AuthenticatedAccess) => void;
}

/** Creates the check that every request of a person's client begins with: the token, and the permission to ask at all. */
export function createIdentifyCaller(options: IdentifyCallerOptions): IdentifyCaller {
  const verify = createCredentialVerifier(options);
  return async (request) => await verify(request).identify();
}

/** The same in two steps: the first refuses whatever can be refused without the store. */
export function createCredentialVerifier(options: IdentifyCallerOptions): VerifyCredentials {
  const { store, check } = options;
  return (request) => {
    const checked = check(request);
    return {
      claims: checked.claims,
      identify: async () => await decide(checked, await store.grants.act(checked.shown), options),
      async requireLive() {
        const shown = { ...checked.shown, proof: undefined };
        const found = await store.grants.act(shown);
        const access = decideAccess({ ...checked, shown, proof: undefined }, found, options);
        options.require?.({ ...access, keyProven: checked.proof !== undefined });
      },
    };
  };
}

async function decide(
  checked: CheckedAccess,
  found: ActiveGrant | undefined,
  { store, directories, proofChecker, issuer, scope, require }: IdentifyCallerOptions,
): Promise<Caller> {
  const access = decideAccess(checked, found, { proofChecker, issuer });
  require?.(access);
  const { user, rules, clientId, grant, scopes, ceiling } = access;
  if (!scopes.includes(scope)) throw notConsented(scope);
  const held = await resolvePermissions({ user, ...rules }, { store, directories });
  const permissions = ceiling === null ? held : withinCeiling(held, ceiling);
  if (undecidedScopes(permissions).has(scope)) throw directoryAway();
  if (!effectiveScopes(permissions).has(scope)) throw notAllowed(scope);
  const client = { limited: ceiling !== null, ceiling: ceiling ?? [] };
  return { user, clientId, grant, permissions, client };
}

/** What a limited client may use of what its person holds. */
function withinCeiling(permissions: Permissions, ceiling: readonly string[]): Permissions {
  const reaches = ({ scope }: { readonly scope: string }) => ceiling.includes(scope);
  const { assignments, undecided } = permissions;
  return { ...permissions, assignments: assignments.filter(reaches), undecided: undecided.filter(reaches) };
}

/** A client that only asked who somebody is reads nothing else about them. */
function notConsented(scope: string): OAuthError {
  const message = `The access token does not have the scope ${scope}. Sign in again and ask for it.`;
  return new OAuthError("insufficient_scope", `${nameOf(scope)}_not_consented`, message);
}

function notAllowed(scope: string): OAuthError {
  const message = `The permission ${scope} is missing. Ask an administrator for it.`;
  return new OAuthError("insufficient_scope", `${nameOf(scope)}_not_allowed`, message);
}

/** `login` of `authz:login`. */
function nameOf(scope: string): string {
  return scope.slice(scope.indexOf(":") + 1);
}
