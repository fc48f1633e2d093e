/**
 * Authz for Hono: identifies callers and checks their permissions.
 *
 * @module
 */
import {
  type ApprovalNeed,
  type ApprovalOptions,
  type Auth,
  type AuthzOptions,
  type FetchRequestOverrides,
  initAuthz as initVerification,
  type Policy,
  requestFromFetch,
  responseToFetch,
  wrongTarget,
} from "@authz/verify";
import type { Context, Env, Input, MiddlewareHandler } from "hono";

// All types of options and results.
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

/** A Hono application with any environment. */
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
   * @throws {TypeError} It is not a Hono application at the root; the message names the remedy.
   */
  registerRoutes(app: RouteTarget): void;
  /**
   * Returns a middleware that passes only requests with valid authorization and sets `c.get("auth")`.
   *
   * Without a policy, any valid authorization is enough. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  requireAuth(policy?: Policy): MiddlewareHandler<AuthEnv>;
  /**
   * Returns a middleware that asks a person to approve a call. Put it behind `requireAuth()`. It reads the body; handlers read it again with `c.req.json()`.
   *
   * `need` says what is to be approved, or returns nothing when the call needs no approval. It must return the same for the same call.
   * The handler runs once for each approval, and finds it in `c.get("auth").transaction`. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} An option is wrong or unknown.
   */
  requireApproval<E extends Env = Env, P extends string = string, I extends Input = Input>(
    need: (c: Context<E & AuthEnv, P, I>, auth: Auth) => ApprovalNeed | Promise<ApprovalNeed>,
    options?: ApprovalOptions,
  ): MiddlewareHandler<E & AuthEnv, P, I>;
  /**
   * Checks the issuer's discovery and this service's signing key. Call it at startup.
   *
   * @throws {AuthzUnavailableError} The message names the address, the failure, and what to check.
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

    requireApproval(need, bound) {
      const guard = authz.defineApproval(bound);
      return async (c, next) => {
        const auth = c.get("auth") as Auth;
        const needed = await need(c, auth);
        const request = requestFromFetch(c.req.raw);
        const decision = await guard({ request, auth, need: needed, body: () => readBody(c) });
        if (decision.refusal !== undefined) return responseToFetch(decision.refusal);
        c.set("auth", decision.auth);
        await next();
        return undefined;
      };
    },

    ready: () => authz.ready(),
  };
}

/** Hono's cache of the body: its types omit the promises, and a validator stores a form without one. */
interface CachedBody {
  readonly formData?: FormData | Promise<FormData>;
  readonly arrayBuffer?: ArrayBuffer | Promise<ArrayBuffer>;
  readonly text?: string | Promise<string>;
}

/**
 * The body if the application has read it: the fields of a form, or else its bytes or text.
 *
 * A body can be read once; `c.req` caches the result of the first reader.
 */
async function overridesOf({ req }: Pick<Context, "req">): Promise<FetchRequestOverrides> {
  const { formData, arrayBuffer, text } = req.bodyCache as CachedBody;
  if (formData !== undefined) return { body: fieldsOf(await formData) };
  if (arrayBuffer !== undefined) return { body: new Uint8Array(await arrayBuffer) };
  return text === undefined ? {} : { body: await text };
}

/**
 * The bytes of the body, which stay readable for the application. What `c.req` makes of a form or of parsed JSON are not the bytes
 * that arrived.
 *
 * @throws {TypeError} The application has read them in a way that loses them.
 */
async function readBody({ req }: Pick<Context, "req">): Promise<Uint8Array> {
  const { arrayBuffer, text } = req.bodyCache as CachedBody;
  if (arrayBuffer === undefined && text !== undefined) return Buffer.from(await text);
  if (arrayBuffer === undefined && (req.raw.bodyUsed || Object.keys(req.bodyCache).length > 0))
    throw new TypeError(
      "requireApproval() needs the bytes of the body, because approval is for exactly these. Put it in front of whatever reads the body.",
    );
  return new Uint8Array(await req.arrayBuffer());
}

/** All values of each field, so that a repeated field is detected. */
function fieldsOf(form: FormData): Record<string, unknown> {
  return Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)]));
}

/**
 * Adds headers that the response does not have.
 *
 * Runs after the handler, because a `Response` of the handler drops headers set before. The response that upgrades a
 * connection to a WebSocket is left alone: copying it would fail, and its headers are not read.
 */
function addHeaders(c: Pick<Context, "res" | "header">, headers: Readonly<Record<string, string>>): void {
  if (c.res.status === 101) return;
  for (const [name, value] of Object.entries(headers)) {
    if (!c.res.headers.has(name)) c.header(name, value);
  }
}

/** @throws {TypeError} The target is no Hono application. */
function requireApplication(target: unknown): void {
  const { use, fetch: answer } = Object(target) as { use?: unknown; fetch?: unknown };
  if (typeof use === "function" && typeof answer === "function") return;
  throw wrongTarget(target, {
    wanted: "the Hono application",
    remedy: "authz.registerRoutes(app), where const app = new Hono()",
  });
}

/** Refuses a base path, which hides the routes; Hono shows it only in registered routes. @throws {TypeError} */
function requireRoot(target: RouteTarget): void {
  const { routes = [] } = target as { routes?: readonly { readonly path: string }[] };
  const registered = routes.at(-1);
  if (registered === undefined || registered.path === "/*") return;
  throw wrongTarget(target, {
    wanted: "the Hono application at the root",
    remedy: "authz.registerRoutes(app), where const app = new Hono(), without basePath()",
  });
}
