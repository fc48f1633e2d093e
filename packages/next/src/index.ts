/**
 * Authz for Next.js: identifies callers and checks their permissions.
 *
 * @module
 */
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import {
  type ApprovalNeed,
  type ApprovalOptions,
  type Auth,
  type Authz,
  type AuthzOptions,
  findRoute,
  initAuthz as initVerification,
  type Policy,
  requestFromFetch,
  responseToFetch,
} from "@authz/verify";

// All types of options and results.
export type * from "@authz/verify";
export { AuthzUnavailableError, createNonceSource, generateEs256KeyPair, inMemory } from "@authz/verify";

/** What `requireAuth()` adds to the second argument of a route handler. */
export interface AuthContext {
  /** The verified caller. Present behind `requireAuth()`, and only there. */
  readonly auth: Auth;
}

/** The second argument of a route handler; Next.js's own type `RouteContext` also fits. */
export interface HandlerContext<Params = Readonly<Record<string, string | readonly string[] | undefined>>> {
  readonly params: Promise<Params>;
}

/** Wraps a handler that needs its caller as a route handler. */
export type RouteGuard = <R extends Request = Request, C extends object = HandlerContext>(
  handler: (request: R, context: C & AuthContext) => Response | Promise<Response>,
) => (request: R, context: C) => Promise<Response>;

/** Says what a person has to approve; nothing when the call needs no approval. The request is a copy, so its body may be read. */
export type FindNeed = (
  request: Request,
  context: AuthContext & Partial<HandlerContext>,
) => ApprovalNeed | Promise<ApprovalNeed>;

/** Wraps a handler behind `requireAuth()` whose calls need approval. */
export type ApprovalRouteGuard = <R extends Request = Request, C extends AuthContext = AuthContext>(
  handler: (request: R, context: C) => Response | Promise<Response>,
) => (request: R, context: C) => Promise<Response>;

/** The route handlers of discovery, signing keys, the token endpoint and skills. Next.js derives `HEAD` from `GET`. */
export interface OwnHandlers {
  readonly GET: (request: Request) => Promise<Response>;
  readonly POST: (request: Request) => Promise<Response>;
}

/** The `proxy` of `proxy.ts`: the response to a refused request, or undefined. */
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
   * Returns a guard: the route handler that it wraps runs only with valid authorization, and receives `auth` next to `params`.
   *
   * Without a policy, any valid authorization is enough. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  requireAuth(policy?: Policy): RouteGuard;
  /**
   * Returns a guard that asks a person to approve a call. Put it behind `requireAuth()`: `authz.requireAuth(policy)(authz.requireApproval(need)(handler))`. `need` and handler read a body from `request.clone()` or `request` in any order.
   *
   * `need` says what is to be approved, or returns nothing when the call needs no approval. It must return the same for the same call.
   * The handler runs once for each approval, and finds it in `auth.transaction`. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} An option is wrong or unknown.
   */
  requireApproval(need: FindNeed, options?: ApprovalOptions): ApprovalRouteGuard;
  /**
   * Returns the `proxy` for `proxy.ts`: it refuses before Next.js selects a route, and leaves `handlers` open.
   *
   * It does not check whether the proof was used before, because a proof can be spent once, which `requireAuth` does. Use it in
   * addition to `requireAuth`, never instead. Name the options of your `requireApproval()` that have headers here too.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  proxy(policy?: Policy, ...approvals: readonly ApprovalOptions[]): ProxyGuard;
  /**
   * Checks the issuer's discovery and this service's signing key. Call it at startup, in `instrumentation.ts`.
   *
   * @throws {AuthzUnavailableError} The message names the address, the failure, and what to check.
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

    requireApproval(need, bound) {
      const guard = authz.defineApproval(bound);
      return (handler) => async (request, context) => {
        const { auth } = context;
        // The bytes are read from a copy, and `need` gets another one, so that the handler can read its own.
        const copy = request.body === null ? request : request.clone();
        const needed = await need(request.body === null ? request : request.clone(), context);
        const decision = await guard({
          request: { ...requestFromFetch(request), url: basePath.putBack(request.url) },
          auth,
          need: needed,
          body: async () => new Uint8Array(await copy.arrayBuffer()),
        });
        if (decision.refusal !== undefined) return responseToFetch(decision.refusal);
        return await handler(request, { ...context, auth: decision.auth });
      };
    },

    proxy(policy, ...approvals) {
      const inFront = initVerification(issuer, { ...verification, replayStore: { consume: () => true } });
      // Tokens for one approved call pass here; the guard of the route spends them.
      for (const approval of [{}, ...approvals]) inFront.defineApproval(approval);
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

/** Bypasses the fetch cache of Next.js, because keys have a lifetime of their own. */
function fetchUncached(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const uncached = { ...init, cache: "no-store" };
  return fetch(input, uncached);
}

function ownHandler(authz: Authz): (request: Request) => Promise<Response> {
  return async (request) => (await authz.handleFetch(request)) ?? new Response(null, { status: 404 });
}

/** Adds missing headers to a copy, because the headers of a redirect are immutable. */
function addHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  const missing = Object.entries(headers).filter(([name]) => !answer.headers.has(name));
  if (missing.length === 0) return answer;
  const copy = new Response(answer.body, answer);
  for (const [name, value] of missing) copy.headers.set(name, value);
  return copy;
}

/** Conversion of paths by the `basePath` of `next.config`. */
interface BasePath {
  /** The path and query of the client, of a request that a route handler sees without the base path. */
  putBack(url: string): string;
  /** The path and query that a route handler sees, of a request to the proxy. */
  takeOut(url: string): string;
}

const validBasePath = /^(?:\/[A-Za-z0-9._~-]+)+$/;

/**
 * Reads the `basePath` option.
 *
 * @throws {TypeError} It is not a path like `/docs`.
 */
function createBasePath(basePath = ""): BasePath {
  if (basePath === "") return { putBack: (url) => url, takeOut: (url) => url };
  if (!validBasePath.test(basePath)) {
    throw new TypeError(
      'basePath must be the one of next.config, such as "/docs", without a slash at its end.',
    );
  }
  return {
    putBack(url) {
      const { pathname, search } = new URL(url);
      return `${basePath}${pathname === "/" ? "" : pathname}${search}`;
    },
    takeOut(url) {
      const { pathname, search } = new URL(url);
      return `${pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname}${search}`;
    },
  };
}

/** Marks the process as subscribed, because Next.js bundles this module more than once. */
const subscribed = Symbol.for("@authz/next: repeated credentials");

/**
 * Keeps repeated `Authorization` lines visible in a Fetch `Request`, so that they are refused.
 *
 * Next.js creates it from Node's `headers`, which keep only the first line. This joins the lines there with a comma first, as Fetch
 * does, and Node does with `DPoP` lines.
 */
function showRepeatedCredentials(): void {
  const process = globalThis as { [subscribed]?: true };
  if (process[subscribed]) return;
  process[subscribed] = true;
  subscribe("http.server.request.start", (message) => {
    const { headers, headersDistinct } = (message as { request: IncomingMessage }).request;
    const lines = headersDistinct["authorization"] ?? [];
    if (lines.length > 1) headers.authorization = lines.join(", ");
  });
}
