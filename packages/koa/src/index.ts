/**
 * Authz for Koa: identifies callers and checks their permissions.
 *
 * @module
 */
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
  keptNodeBody,
  type NodeRequestOverrides,
  type Policy,
  type RouteResponse,
  requestFromNode,
  routeRequestFromNode,
  wrongTarget,
} from "@authz/verify";
import type { Context, DefaultContext, DefaultState, Middleware, Next, ParameterizedContext } from "koa";

// All types of options and results.
export type * from "@authz/verify";
export { AuthzUnavailableError, createNonceSource, generateEs256KeyPair, inMemory } from "@authz/verify";

/** What `requireAuth()` adds to the state: middleware after it sees `ctx.state.auth` typed. */
export interface AuthState {
  /** The verified caller. Present after `requireAuth()`, and only there. */
  auth: Auth;
}

declare module "koa" {
  interface DefaultState extends AuthState {}
}

/** A Koa application with any state and context. */
export interface RouteTarget {
  use(middleware: Middleware): unknown;
}

/** Authz for one Koa service. */
export interface KoaAuthz {
  /**
   * Mounts discovery, signing keys, the token endpoint and skills; no router is needed.
   *
   * Call it before any `app.use(requireAuth())`. Other paths are passed on unchanged.
   *
   * @throws {TypeError} It is not a Koa application; the message names the remedy.
   */
  registerRoutes(app: RouteTarget): void;
  /**
   * Returns a middleware that passes only requests with valid authorization and sets `ctx.state.auth`.
   *
   * Without a policy, any valid authorization is enough. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  requireAuth(policy?: Policy): Middleware<AuthState>;
  /**
   * Returns a middleware that asks a person to approve a call. Put it behind `requireAuth()` and a body parser that keeps `ctx.request.rawBody`, as `@koa/bodyparser` does.
   *
   * `need` says what is to be approved, or returns nothing when the call needs no approval. It must return the same for the same call.
   * The handler runs once for each approval, and finds it in `ctx.state.auth.transaction`. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} An option is wrong or unknown.
   */
  requireApproval<State = DefaultState, Ctx = DefaultContext>(
    need: (
      ctx: ParameterizedContext<State & AuthState, Ctx>,
      auth: Auth,
    ) => ApprovalNeed | Promise<ApprovalNeed>,
    options?: ApprovalOptions,
  ): Middleware<State & AuthState, Ctx>;
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
 * Creates the authorization of one Koa service.
 *
 * @param issuer - the public URL of the authorization server
 * @throws {TypeError} An option is missing or wrong; the message names it.
 */
export function initAuthz(issuer: string, options: AuthzOptions): KoaAuthz {
  const authz = initVerification(issuer, options);
  const checkUpgrades = createUpgradeCheck();

  return {
    registerRoutes(app) {
      requireApplication(app);
      // Not async, so that requests of the application pass without an extra promise.
      app.use((ctx, next) => {
        const route = findRoute(authz.routes, ctx.req);
        return route === undefined ? next() : answer(route, ctx);
      });
    },

    requireAuth(policy) {
      const checkedPolicy = authz.definePolicy(policy);
      return (ctx, next) => {
        checkUpgrades(ctx.req);
        const decision = authz.decide(requestFromNode(ctx.req, overridesOf(ctx)), checkedPolicy);
        return decision instanceof Promise
          ? decision.then((later) => proceed(later, ctx, next))
          : proceed(decision, ctx, next);
      };
    },

    requireApproval(need, bound) {
      const guard = authz.defineApproval(bound);
      return (ctx, next) => {
        const { auth } = ctx.state;
        const decide = (needed: ApprovalNeed): Decision | Promise<Decision> => {
          const request = requestFromNode(ctx.req, { url: ctx.originalUrl });
          return guard({ request, auth, need: needed, body: () => keptBody(ctx) });
        };
        const needed = need(ctx, auth);
        const decision = needed instanceof Promise ? needed.then(decide) : decide(needed);
        return decision instanceof Promise
          ? decision.then((later) => proceed(later, ctx, next))
          : proceed(decision, ctx, next);
      };
    },

    guardUpgrade: (policy, accept) => authz.guardUpgrade(policy, accept),

    ready: () => authz.ready(),
  };
}

async function answer(route: AuthzRoute, ctx: Context): Promise<void> {
  sendResponse(ctx, await route.handle(await routeRequestFromNode(ctx.req, overridesOf(ctx))));
}

/** Continues with the request, or answers it. */
function proceed(decision: Decision, ctx: ParameterizedContext<AuthState>, next: Next): unknown {
  if (decision.refusal !== undefined) {
    sendResponse(ctx, decision.refusal);
    return undefined;
  }
  ctx.state.auth = decision.auth;
  // Usually empty.
  for (const name in decision.headers) ctx.set(name, decision.headers[name] as string);
  return next();
}

/**
 * `originalUrl` keeps the prefix that koa-mount strips from `url`. Body parsers for Koa put their result on the request.
 */
function overridesOf({
  originalUrl,
  request,
}: Pick<Context, "originalUrl" | "request">): Required<NodeRequestOverrides> {
  return { url: originalUrl, body: (request as { body?: unknown }).body };
}

/** The bytes of a body, as body parsers for Koa keep them, or not parsed at all. @throws {TypeError} */
function keptBody({ req, request }: Pick<Context, "req" | "request">): Uint8Array {
  const { rawBody, body } = request as { rawBody?: unknown; body?: unknown };
  const kept = [rawBody, body instanceof Uint8Array ? body : undefined];
  return keptNodeBody(
    req,
    kept,
    "Put bodyParser() of @koa/bodyparser in front, with the method of the route in parsedMethods: it keeps ctx.request.rawBody.",
  );
}

/** Sends a response unchanged. */
function sendResponse(
  ctx: Pick<Context, "status" | "set" | "body">,
  { status, headers, body }: RouteResponse,
): void {
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) ctx.set(name, [value].flat());
  ctx.body = typeof body === "string" ? body : Buffer.from(body);
}

/** Refuses a router, which runs its middleware only for its own routes. @throws {TypeError} */
function requireApplication(target: unknown): void {
  const { use, get } = Object(target) as { use?: unknown; get?: unknown };
  if (typeof use === "function" && get === undefined) return;
  throw wrongTarget(target, {
    wanted: "the Koa application",
    remedy: "authz.registerRoutes(app), where const app = new Koa()",
  });
}
