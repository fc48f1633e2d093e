/**
 * Authz for Hono: who is calling, and may they.
 *
 * @module
 */
import {
  type Auth,
  type AuthzOptions,
  initAuthz as initVerification,
  type Policy,
  requestFromFetch,
  responseToFetch,
  wrongTarget,
} from "@authz/verify";
import type { Context, MiddlewareHandler } from "hono";
import { overridesOf } from "./body.js";

// Every type that an option or a result is made of.
export type * from "@authz/verify";
export { AuthzUnavailableError, createNonceSource, generateEs256KeyPair, inMemory } from "@authz/verify";

/** What `requireAuth()` adds to the environment: handlers after it see `c.get("auth")` typed, and only they do. */
export interface AuthEnv {
  // Hono's own name for the values of a context.
  Variables: {
    /** The verified caller. Present after `requireAuth()`, and only there. */
    auth: Auth;
  };
}

/** A Hono application, whatever its environment is. */
export interface RouteTarget {
  use(middleware: MiddlewareHandler): unknown;
}

/** Authz for one Hono service. */
export interface HonoAuthz {
  /**
   * Mounts discovery, signing keys, the token endpoint and skills.
   *
   * Call it on the application at the root of the origin, before any `app.use(requireAuth())`. Other paths pass on
   * untouched.
   *
   * @throws {TypeError} It is not a Hono application at the root; the message says what to write.
   */
  registerRoutes(app: RouteTarget): void;
  /**
   * Returns a middleware that lets a request pass only with valid authorization and sets `c.get("auth")`.
   *
   * Without a policy, any valid authorization will do. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  requireAuth(policy?: Policy): MiddlewareHandler<AuthEnv>;
  /**
   * Checks the issuer's discovery and this service's signing key. Call it at start-up.
   *
   * @throws {AuthzUnavailableError} The message says which address failed, how, and what to check.
   */
  ready(): Promise<void>;
}

/**
 * Creates the authorization of one Hono service.
 *
 * @param issuer - the public URL of the authorization server
 * @throws {TypeError} An option is missing or wrong; the message names it.
 */
export function initAuthz(issuer: string, options: AuthzOptions): HonoAuthz {
  const authz = initVerification(issuer, options);

  return {
    registerRoutes(app) {
      requireApplication(app);
      app.use(async (c, next) => {
        const answer = await authz.handleFetch(c.req.raw, await overridesOf(c));
        if (answer === undefined) await next();
        return answer;
      });
      requireRoot(app);
    },

    requireAuth(policy) {
      const checkedPolicy = authz.definePolicy(policy);
      return async (c, next) => {
        const request = requestFromFetch(c.req.raw, await overridesOf(c));
        const decision = await authz.decide(request, checkedPolicy);
        if (decision.refusal !== undefined) return responseToFetch(decision.refusal);
        c.set("auth", decision.auth);
        await next();
        addHeaders(c, decision.headers);
        return undefined;
      };
    },

    ready: () => authz.ready(),
  };
}

/**
 * Adds what the answer does not have yet.
 *
 * Afterwards, because a handler may return a `Response` of its own, which knows nothing of headers set before. The
 * answer that turns a connection into a WebSocket stays as it is: copying it would fail, and nobody reads its headers.
 */
function addHeaders(c: Pick<Context, "res" | "header">, headers: Readonly<Record<string, string>>): void {
  if (c.res.status === 101) return;
  for (const [name, value] of Object.entries(headers)) {
    if (!c.res.headers.has(name)) c.header(name, value);
  }
}

/** @throws {TypeError} It is no Hono application. */
function requireApplication(target: unknown): void {
  const { use, fetch: answer } = Object(target) as { use?: unknown; fetch?: unknown };
  if (typeof use === "function" && typeof answer === "function") return;
  throw wrongTarget(target, {
    wanted: "the Hono application",
    remedy: "authz.registerRoutes(app), where const app = new Hono()",
  });
}

/** Below a base path nobody would find the routes, and Hono tells of it only by what was registered. @throws {TypeError} */
function requireRoot(target: RouteTarget): void {
  const { routes = [] } = target as { routes?: readonly { readonly path: string }[] };
  const registered = routes.at(-1);
  if (registered === undefined || registered.path === "/*") return;
  throw wrongTarget(target, {
    wanted: "the Hono application at the root",
    remedy: "authz.registerRoutes(app), where const app = new Hono(), without basePath()",
  });
}
