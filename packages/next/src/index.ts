/**
 * Authz for Next.js: who is calling, and may they.
 *
 * @module
 */
import {
  type Auth,
  type Authz,
  type AuthzOptions,
  findRoute,
  initAuthz as initVerification,
  type Policy,
  requestFromFetch,
  responseToFetch,
} from "@authz/verify";
import { createBasePath } from "./base-path.js";
import { showRepeatedCredentials } from "./repeated-credentials.js";

// Every type that an option or a result is made of.
export type * from "@authz/verify";
export { AuthzUnavailableError, createNonceSource, generateEs256KeyPair, inMemory } from "@authz/verify";

/** What `requireAuth()` adds to the second argument of a route handler. */
export interface AuthContext {
  /** The verified caller. Present behind `requireAuth()`, and only there. */
  readonly auth: Auth;
}

/** What Next.js passes to a route handler along with the request; Next.js's own type `RouteContext` also fits. */
export interface HandlerContext<Params = Readonly<Record<string, string | readonly string[] | undefined>>> {
  readonly params: Promise<Params>;
}

/** Turns a handler that needs to know its caller into a route handler. */
export type RouteGuard = <R extends Request = Request, C extends object = HandlerContext>(
  handler: (request: R, context: C & AuthContext) => Response | Promise<Response>,
) => (request: R, context: C) => Promise<Response>;

/** The route handlers of discovery, signing keys, the token endpoint and skills. Next.js derives `HEAD` from `GET`. */
export interface OwnHandlers {
  readonly GET: (request: Request) => Promise<Response>;
  readonly POST: (request: Request) => Promise<Response>;
}

/** The `proxy` of `proxy.ts`: the answer for a caller who goes no further, or undefined. */
export type ProxyGuard = (request: Request) => Promise<Response | undefined>;

/** The options of every adapter, plus what is specific to Next.js. */
export interface NextAuthzOptions extends AuthzOptions {
  /** The `basePath` of `next.config`, which Next.js removes from a request's address before a route handler sees it. */
  readonly basePath?: string;
}

/** Authz for one Next.js service. */
export interface NextAuthz {
  /**
   * Discovery, signing keys, the token endpoint and skills.
   *
   * Export them from `app/.well-known/[...path]/route.ts` and `app/oauth/[...path]/route.ts`. Other paths get a 404.
   */
  readonly handlers: OwnHandlers;
  /**
   * Returns a guard: the route handler that it wraps runs only with valid authorization, and gets `auth` next to `params`.
   *
   * Without a policy, any valid authorization will do. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  requireAuth(policy?: Policy): RouteGuard;
  /**
   * Returns the `proxy` for `proxy.ts`: it refuses before Next.js looks for a route, and leaves `handlers` open.
   *
   * It checks everything except whether the proof was used before, because a proof is good for one use, and that one
   * belongs to `requireAuth`. So use it in addition to `requireAuth`, never instead.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  proxy(policy?: Policy): ProxyGuard;
  /**
   * Checks the issuer's discovery and this service's signing key. Call it at start-up, in `instrumentation.ts`.
   *
   * @throws {AuthzUnavailableError} The message says which address failed, how, and what to check.
   */
  ready(): Promise<void>;
}

/**
 * Creates the authorization of one Next.js service.
 *
 * @param issuer - the public URL of the authorization server
 * @throws {TypeError} An option is missing or wrong; the message names it.
 */
export function initAuthz(issuer: string, options: NextAuthzOptions): NextAuthz {
  const { basePath: givenBasePath, ...rest } = options;
  const basePath = createBasePath(givenBasePath);
  const verification: AuthzOptions = { fetch: fetchUncached, ...rest };
  const authz = initVerification(issuer, verification);
  showRepeatedCredentials();

  return {
    handlers: { GET: ownHandler(authz), POST: ownHandler(authz) },

    requireAuth(policy) {
      const checkedPolicy = authz.definePolicy(policy);
      return (handler) => async (request, context) => {
        const asked = { ...requestFromFetch(request), url: basePath.putBack(request.url) };
        const decision = await authz.decide(asked, checkedPolicy);
        if (decision.refusal !== undefined) return responseToFetch(decision.refusal);
        const answer = await handler(request, { ...context, auth: decision.auth });
        return addHeaders(answer, decision.headers);
      };
    },

    proxy(policy) {
      const inFront = initVerification(issuer, { ...verification, replayStore: { consume: () => true } });
      const checkedPolicy = inFront.definePolicy(policy);
      return async (request) => {
        const { method } = request;
        const url = basePath.takeOut(request.url);
        if (findRoute(inFront.routes, { method, url }) !== undefined) return undefined;
        const { refusal } = await inFront.decide(requestFromFetch(request), checkedPolicy);
        return refusal && responseToFetch(refusal);
      };
    },

    ready: () => authz.ready(),
  };
}

/** Next.js may keep what a route fetches on disk, for as long as the route says; keys have a lifetime of their own. */
function fetchUncached(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const uncached = { ...init, cache: "no-store" };
  return fetch(input, uncached);
}

function ownHandler(authz: Authz): (request: Request) => Promise<Response> {
  return async (request) => (await authz.handleFetch(request)) ?? new Response(null, { status: 404 });
}

/** Adds what the answer does not have yet, to a copy: the headers of a redirect cannot be changed. */
function addHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  const missing = Object.entries(headers).filter(([name]) => !answer.headers.has(name));
  if (missing.length === 0) return answer;
  const copy = new Response(answer.body, answer);
  for (const [name, value] of missing) copy.headers.set(name, value);
  return copy;
}
