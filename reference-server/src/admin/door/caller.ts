import type { ServerContext } from "../../context.js";
import { type BrowserCookies, type CookieReader, csrfToken, isCsrfToken } from "../../sign-in/browser.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { loadAuthority, machineAuthority } from "../../permissions/roles.js";
import { administerScope, roleScopes } from "../../store/system-scopes.js";
import type { Store } from "../../store/store.js";
import { authenticateMachine, requireMachine } from "../../oauth/tokens/authenticate-machine.js";
import { AdminRefusal } from "./refusals.js";
import type { Caller } from "./call.js";

/** What of a request says who sent it, free of any framework. */
export interface AdminRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  readonly cookies: CookieReader;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Every `Authorization` header. */
  readonly authorization: readonly string[];
  /** Every `DPoP` header. */
  readonly dpop: readonly string[];
}

export interface CallerDependencies {
  readonly context: Pick<ServerContext, "config" | "directories" | "keys" | "proofChecker"> & {
    readonly store: Store;
  };
  readonly cookies: Pick<BrowserCookies, "readSession">;
  readonly now: Date;
}

/**
 * Finds out who calls, and that they have a role at the administration at this moment.
 *
 * A request with an `Authorization` header is a machine's; its cookies are ignored.
 *
 * @throws {AdminRefusal} `login_required`, `access_denied` or `invalid_csrf_token`.
 * @throws {OAuthError} The token of a machine is refused, or only a directory that is away knows what a person may.
 */
export async function identifyCaller(
  request: AdminRequest,
  { context, cookies, now }: CallerDependencies,
): Promise<Caller> {
  if (request.authorization.length === 0) return await identifyPerson(request, { context, cookies });
  const { store, keys, proofChecker, config } = context;
  const dependencies = { store, keys, proofChecker, issuer: config.issuer, now, scopes: roleScopes };
  const { client, scopes } = await authenticateMachine(request, dependencies);
  return machineCaller(client.id, scopes);
}

/**
 * The identified caller with what they may do now.
 *
 * A body can come long after the head that was looked at: without this, somebody whose permission is taken away could
 * keep a request open, and give it back to themselves.
 *
 * @throws {AdminRefusal} `login_required` or `access_denied`.
 * @throws {OAuthError} The machine is disabled, or does not have the scope any more.
 */
export async function identifyAgain(
  { caller, request }: { readonly caller: Caller; readonly request: AdminRequest },
  { context, cookies }: Omit<CallerDependencies, "now">,
): Promise<Caller> {
  if (caller.type === "user") return await identifyPerson(request, { context, cookies });
  const { clientId, scopes: shown } = caller;
  const { scopes } = await requireMachine({ clientId, scopes: shown }, context.store);
  return machineCaller(clientId, scopes);
}

function machineCaller(clientId: string, scopes: readonly string[]): Caller {
  return { type: "client", clientId, scopes, authority: machineAuthority(scopes) };
}

async function identifyPerson(
  request: AdminRequest,
  { context, cookies }: Omit<CallerDependencies, "now">,
): Promise<Caller> {
  const { config, store } = context;
  const session = await cookies.readSession(request.cookies);
  const user = session && (await store.users.find(session.userId));
  if (session === undefined || user === undefined || !user.enabled) {
    throw new AdminRefusal("login_required", "loginRequired");
  }
  const authority = await loadAuthority(user, context);
  if (authority.roles.size === 0) {
    if (authority.undecided.size > 0) throw directoryAway();
    const { id: userId } = user;
    throw new AdminRefusal("access_denied", "notAllowed", { scope: administerScope, userId });
  }
  const caller = {
    type: "user",
    user,
    session,
    csrfToken: csrfToken(config.sessionSecret, session, "admin"),
    authority,
  } as const;
  if (!isReading(request.method) && !isFromOwnPage(request, config.issuer, caller.csrfToken)) {
    const { id: userId } = user;
    throw new AdminRefusal("invalid_csrf_token", "foreignPage", { userId });
  }
  return caller;
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** No other site can make a browser send this. */
function isFromOwnPage({ headers }: AdminRequest, issuer: string, token: string): boolean {
  const site = headers["sec-fetch-site"];
  const given = headers["x-authz-csrf"];
  const ownOrigin = headers["origin"] === issuer && (site === undefined || site === "same-origin");
  return ownOrigin && typeof given === "string" && isCsrfToken(given, token);
}
