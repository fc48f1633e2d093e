/**
 * Authz for Express: identifies callers and checks their permissions.
 *
 * @module
 */

import type { ServerResponse } from "node:http";
import {
  type ApprovalNeed,
  type ApprovalOptions,
  type Auth,
  type Authz,
  type AuthzOptions,
  type AuthzRoute,
  createUpgradeCheck,
  type Decision,
  findRoute,
  initAuthz as initVerification,
  type Policy,
  requestFromNode,
  routeRequestFromNode,
  sendNodeResponse,
  wrongTarget,
} from "@authz/verify";
import {
  type ExpressRequest,
  inheritAuth,
  getAuth,
  keepBody,
  keptBody,
  messageOf,
  overridesOf,
  protectedRequestOf,
  rememberAuth,
} from "./request.js";

// All types of options and results.
export type * from "@authz/verify";
export { AuthzUnavailableError, createNonceSource, generateEs256KeyPair, inMemory } from "@authz/verify";
export { type ExpressRequest, getAuth } from "./request.js";

/** What `requireAuth()` adds to the request. */
export interface AuthenticatedRequest {
  /** The verified caller. Present after `requireAuth()`, and only there. */
  auth: Auth;
}

declare global {
  namespace Express {
    // Inherited, not declared: the type of another package that declares `auth`, such as express-oauth2-jwt-bearer, wins in any
    // order of imports; `getAuth(req)` returns ours.
    interface Request extends AuthenticatedRequest {}
  }
}

/** A middleware for any Express application and router. It does not change the types of a route's parameters and body. */
export type AuthMiddleware = (
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Says what a person has to approve; nothing when the call needs no approval. */
export type FindNeed<Req> = (req: Req, auth: Auth) => ApprovalNeed | Promise<ApprovalNeed>;

/** A middleware for the requests that its function takes. */
export type ApprovalMiddleware<Req extends ExpressRequest> = (
  req: Req,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** The arguments of a middleware. */
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
   * @throws {TypeError} It is not an Express application or router; the message names the remedy.
   */
  registerRoutes(app: RouteTarget): void;
  /**
   * Returns a middleware that passes only requests with valid authorization and sets `req.auth`.
   *
   * Without a policy, any valid authorization is enough. Errors that are not refusals go to `next`.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  requireAuth(policy?: Policy): AuthMiddleware;
  /**
   * Returns a middleware that asks a person to approve a call. Put it behind `requireAuth()` and the body parser, which has to keep the bytes: `express.json({ verify: authz.rawBody })`.
   *
   * `need` says what is to be approved, or returns nothing when the call needs no approval. It must return the same for the same call.
   * The handler runs once for each approval, and finds it in `req.auth.transaction`. Errors that are not refusals go to `next`.
   *
   * @throws {TypeError} An option is wrong or unknown.
   */
  requireApproval<Req extends ExpressRequest>(
    need: FindNeed<Req>,
    options?: ApprovalOptions,
  ): ApprovalMiddleware<Req>;
  /** Keeps the bytes of a body for `requireApproval()`: the `verify` option of `express.json()` and the other parsers. */
  readonly rawBody: (req: object, res: unknown, bytes: Uint8Array) => void;
  /**
   * Returns a listener for the `upgrade` event of the server that `app.listen()` returns. It accepts connections, such as
   * WebSockets, only with valid authorization. Upgrades bypass middleware.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  guardUpgrade: Authz["guardUpgrade"];
  /**
   * Checks the issuer's discovery and this service's signing key. Call it at startup.
   *
   * @throws {AuthzUnavailableError} The message names the address, the failure, and what to check.
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

  /** Continues with the request, or answers it. */
  function settle(req: ExpressRequest, res: ServerResponse, decision: Decision): boolean {
    if (decision.refusal !== undefined) {
      sendNodeResponse(res, decision.refusal);
      return false;
    }
    rememberAuth(req, decision.auth);
    // Usually empty.
    for (const name in decision.headers) res.setHeader(name, decision.headers[name] as string);
    return true;
  }

  /** Passes errors to `next`, because Express 4 does not wait for promises. */
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
      // One middleware, because the router would try each of our routes before those of the application.
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
        // Synchronous, so that the handler runs in the same turn as on an unguarded route.
        next();
      };
    },

    requireApproval(need, bound) {
      const guard = authz.defineApproval(bound);
      const decide = (
        req: ExpressRequest,
        auth: Auth,
        needed: ApprovalNeed,
      ): Decision | Promise<Decision> => {
        const request = requestFromNode(messageOf(req), { url: req.originalUrl });
        return guard({ request, auth, need: needed, body: () => keptBody(req) });
      };
      return (req, res, next) => {
        try {
          const auth = getAuth(req);
          const needed = need(req, auth);
          const decision =
            needed instanceof Promise
              ? needed.then((later) => decide(req, auth, later))
              : decide(req, auth, needed);
          if (decision instanceof Promise) {
            void continueLater(decision, { req, res, next });
            return;
          }
          if (!settle(req, res, decision)) return;
        } catch (error) {
          next(error);
          return;
        }
        next();
      };
    },

    rawBody: keepBody,

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
