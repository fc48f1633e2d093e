/**
 * Authz for Express: who is calling, and may they.
 *
 * @module
 */

import type { ServerResponse } from "node:http";
import {
  type Auth,
  type Authz,
  type AuthzOptions,
  type AuthzRoute,
  createUpgradeCheck,
  type Decision,
  findRoute,
  initAuthz as initVerification,
  type Policy,
  routeRequestFromNode,
  sendNodeResponse,
  wrongTarget,
} from "@authz/verify";
import {
  type ExpressRequest,
  inheritAuth,
  messageOf,
  overridesOf,
  protectedRequestOf,
  rememberAuth,
} from "./request.js";

export { type ExpressRequest, getAuth } from "./request.js";

// Every type that an option or a result is made of.
export type * from "@authz/verify";
export { AuthzUnavailableError, createNonceSource, generateEs256KeyPair, inMemory } from "@authz/verify";

/** What `requireAuth()` adds to the request. */
export interface AuthenticatedRequest {
  /** The verified caller. Present after `requireAuth()`, and only there. */
  auth: Auth;
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- Express types its request through this namespace
  namespace Express {
    // Inherited, not declared: where another package declares `auth` itself, as express-oauth2-jwt-bearer does, its
    // type wins, whatever the order of imports, and `getAuth(req)` is there for ours.
    interface Request extends AuthenticatedRequest {}
  }
}

/** A middleware for every Express application and router. It leaves the types of a route's parameters and body alone. */
export type AuthMiddleware = (
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** What Express calls a middleware with. */
interface Call {
  readonly req: ExpressRequest;
  readonly res: ServerResponse;
  readonly next: (error?: unknown) => void;
}

/** An Express application or router. */
export interface RouteTarget {
  use(middleware: AuthMiddleware): unknown;
}

/** Authz for one Express service. */
export interface ExpressAuthz {
  /**
   * Mounts discovery, signing keys, the token endpoint and skills.
   *
   * Call it on the application itself, at the root of the origin, before any `app.use(requireAuth())`.
   *
   * @throws {TypeError} It is not an Express application or router; the message says what to write.
   */
  registerRoutes(app: RouteTarget): void;
  /**
   * Returns a middleware that lets a request pass only with valid authorization and sets `req.auth`.
   *
   * Without a policy, any valid authorization will do. Errors that are not refusals go to `next`.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  requireAuth(policy?: Policy): AuthMiddleware;
  /**
   * Returns a listener for the `upgrade` event of the server that `app.listen()` returns, which lets a connection, such as a
   * WebSocket, be taken over only with valid authorization. Upgrades pass no middleware.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  guardUpgrade: Authz["guardUpgrade"];
  /**
   * Checks the issuer's discovery and this service's signing key. Call it at start-up.
   *
   * @throws {AuthzUnavailableError} The message says which address failed, how, and what to check.
   */
  ready(): Promise<void>;
}

/**
 * Creates the authorization of one Express service.
 *
 * @param issuer - the public URL of the authorization server
 * @throws {TypeError} An option is missing or wrong; the message names it.
 */
export function initAuthz(issuer: string, options: AuthzOptions): ExpressAuthz {
  const authz = initVerification(issuer, options);
  const checkUpgrades = createUpgradeCheck();

  /** Lets the request pass, or answers it. */
  function settle(req: ExpressRequest, res: ServerResponse, decision: Decision): boolean {
    if (decision.refusal !== undefined) {
      sendNodeResponse(res, decision.refusal);
      return false;
    }
    rememberAuth(req, decision.auth);
    // Nearly always there are none.
    for (const name in decision.headers) res.setHeader(name, decision.headers[name] as string);
    return true;
  }

  /** Express 4 does not wait for promises, so what is thrown is passed on by hand. */
  async function continueLater(decision: Promise<Decision>, { req, res, next }: Call): Promise<void> {
    try {
      if (!settle(req, res, await decision)) return;
    } catch (error) {
      next(error);
      return;
    }
    next();
  }

  return {
    registerRoutes(app) {
      requireApplication(app);
      inheritAuth(app);
      const answer = async (route: AuthzRoute, { req, res, next }: Call): Promise<void> => {
        try {
          sendNodeResponse(
            res,
            await route.handle(await routeRequestFromNode(messageOf(req), overridesOf(req))),
          );
        } catch (error) {
          next(error);
        }
      };
      // One middleware for all: the router would try each of ours before it comes to a route of the application.
      app.use((req, res, next) => {
        const route = findRoute(authz.routes, req);
        if (route === undefined) next();
        else void answer(route, { req, res, next });
      });
    },

    requireAuth(policy) {
      const checkedPolicy = authz.definePolicy(policy);
      return (req, res, next) => {
        try {
          checkUpgrades(messageOf(req));
          const decision = authz.decide(protectedRequestOf(req), checkedPolicy);
          if (decision instanceof Promise) {
            void continueLater(decision, { req, res, next });
            return;
          }
          if (!settle(req, res, decision)) return;
        } catch (error) {
          next(error);
          return;
        }
        // Without a promise in between, the handler runs in the same turn as on a bare route.
        next();
      };
    },

    guardUpgrade: (policy, accept) => authz.guardUpgrade(policy, accept),

    ready: () => authz.ready(),
  };
}

/** @throws {TypeError} It is neither an application nor a router. */
function requireApplication(target: unknown): void {
  const { use, get } = Object(target) as { use?: unknown; get?: unknown };
  if (typeof target === "function" && typeof use === "function" && typeof get === "function") return;
  throw wrongTarget(target, {
    wanted: "the Express application",
    remedy: "authz.registerRoutes(app), where const app = express()",
  });
}
