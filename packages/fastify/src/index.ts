/**
 * Authz for Fastify: identifies callers and checks their permissions.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, Transform } from "node:stream";
import {
  type ApprovalNeed,
  type ApprovalOptions,
  type Auth,
  type AuthzOptions,
  type Decision,
  initAuthz as initVerification,
  keptNodeBody,
  type NodeRequestOverrides,
  type Policy,
  type RouteResponse,
  readNodeBody,
  requestFromNode,
  routeRequestFromNode,
  wrongTarget,
} from "@authz/verify";
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  RawServerBase,
  RouteGenericInterface,
  RouteHandlerMethod,
} from "fastify";
import fastifyPlugin from "fastify-plugin";

// All types of options and results.
export type * from "@authz/verify";
export { AuthzUnavailableError, createNonceSource, generateEs256KeyPair, inMemory } from "@authz/verify";

declare module "fastify" {
  interface FastifyRequest {
    /** The verified caller. Present after `requireAuth()`, and only there. */
    auth: Auth;
  }
  interface FastifyInstance {
    /** Authz for this service. Present once `app.register(authz, …)` is done, and only then. */
    authz: FastifyAuthz;
  }
}

/** A request of an HTTP/1.1 or HTTP/2 server. */
export type AnyRequest = FastifyRequest<RouteGenericInterface, RawServerBase>;
/** Its reply. */
export type AnyReply = FastifyReply<RouteGenericInterface, RawServerBase>;

type Done = (error?: Error) => void;

/** A hook for `onRequest` or `preHandler`, on HTTP/1.1 and HTTP/2. Called from a hook of your own, without `done`, it returns a promise. */
export interface AuthHook {
  (request: AnyRequest, reply: AnyReply, done: Done): void;
  (request: AnyRequest, reply: AnyReply): Promise<void>;
}

/** A hook for `preHandler`. */
export type ApprovalHook = (request: AnyRequest, reply: AnyReply) => Promise<void>;

/** A Fastify instance with any server, logger and type provider. */
export interface RouteTarget {
  register(plugin: never): unknown;
  decorateRequest(name: never): unknown;
  hasRequestDecorator(name: string): boolean;
}

/** Authz for one Fastify service. */
export interface FastifyAuthz {
  /**
   * Mounts discovery, signing keys, the token endpoint and skills in a separate plugin.
   *
   * The application's content type parsers stay untouched, and a global `requireAuth()` leaves these routes open.
   *
   * @throws {TypeError} It is not a Fastify instance; the message names the remedy.
   */
  registerRoutes(app: RouteTarget): void;
  /**
   * Returns a hook that passes only requests with valid authorization and sets `request.auth`.
   *
   * As `onRequest` it refuses before the body is read. As `preHandler` it also sees a token that was sent in a form.
   * Without a policy, any valid authorization is enough. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  requireAuth(policy?: Policy): AuthHook;
  /**
   * Returns a hook for `preHandler` that asks a person to approve a call. Put it behind `requireAuth()`, on a route that keeps the bytes of its body: `preParsing: authz.rawBody`.
   *
   * `need` says what is to be approved, or returns nothing when the call needs no approval. It must return the same for the same call.
   * The handler runs once for each approval, and finds it in `request.auth.transaction`. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} An option is wrong or unknown.
   */
  requireApproval(
    need: (request: AnyRequest, auth: Auth) => ApprovalNeed | Promise<ApprovalNeed>,
    options?: ApprovalOptions,
  ): ApprovalHook;
  /** A hook for `preParsing`: keeps the bytes of a body for `requireApproval()`. */
  readonly rawBody: (
    request: AnyRequest,
    reply: AnyReply,
    payload: Readable,
    done: (error?: Error | null, payload?: Readable) => void,
  ) => void;
  /**
   * Checks the issuer's discovery and this service's signing key. Call it at startup.
   *
   * @throws {AuthzUnavailableError} The message names the address, the failure, and what to check.
   */
  ready(): Promise<void>;
}

/**
 * Creates the authorization of one Fastify service.
 *
 * @param issuer - the public URL of the authorization server
 * @throws {TypeError} An option is missing or wrong; the message names it.
 */
export function initAuthz(issuer: string, options: AuthzOptions): FastifyAuthz {
  const authz = initVerification(issuer, options);
  /** Instances with the SDK's own routes, which guards of the application must not close. */
  const ownScopes = new WeakSet<FastifyInstance>();

  return {
    registerRoutes(target) {
      requireInstance(target);
      const app = target as FastifyInstance;
      if (!app.hasRequestDecorator("auth")) app.decorateRequest("auth");
      void app.register(async (scope) => {
        ownScopes.add(scope);
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser("*", (_request: FastifyRequest, payload: IncomingMessage) =>
          readNodeBody(payload),
        );
        for (const route of authz.routes) {
          const handler: RouteHandlerMethod = async (request, reply) =>
            sendResponse(
              reply,
              await route.handle(await routeRequestFromNode(request.raw, overridesOf(request))),
            );
          scope.route({
            method: route.method,
            url: route.path,
            handler,
            exposeHeadRoute: route.method === "GET",
          });
        }
      });
    },

    requireAuth(policy) {
      const checkedPolicy = authz.definePolicy(policy);
      const decide = (request: AnyRequest): Decision | Promise<Decision> =>
        authz.decide(requestFromNode(request.raw, overridesOf(request)), checkedPolicy);

      async function guard(request: AnyRequest, reply: AnyReply): Promise<void> {
        if (!ownScopes.has(request.server)) await settleLater(decide(request), request, reply);
      }

      function hook(request: AnyRequest, reply: AnyReply, done: Done): void;
      function hook(request: AnyRequest, reply: AnyReply): Promise<void>;
      function hook(request: AnyRequest, reply: AnyReply, done?: Done): void | Promise<void> {
        if (done === undefined) return guard(request, reply);
        if (ownScopes.has(request.server)) return done();
        const decision = decide(request);
        // Fastify waits for a promise, and continues in the same turn without one.
        if (decision instanceof Promise) return settleLater(decision, request, reply);
        return settle(decision, request, reply) ? done() : undefined;
      }
      return hook;
    },

    requireApproval(need, bound) {
      const guard = authz.defineApproval(bound);
      return async (request, reply) => {
        const { auth } = request;
        const needed = await need(request, auth);
        const asked = requestFromNode(request.raw, { url: request.originalUrl });
        const decision = guard({ request: asked, auth, need: needed, body: () => keptBody(request) });
        await settleLater(decision, request, reply);
      };
    },

    rawBody: keepBody,

    ready: () => authz.ready(),
  };
}

/** The options of the plugin: those of `initAuthz`, and the issuer. */
export interface FastifyAuthzOptions extends AuthzOptions {
  /** The public URL of the authorization server. */
  readonly issuer: string;
}

/**
 * The same as a plugin: registers the routes and adds `requireAuth` and `ready` as `app.authz`.
 *
 * Register it on the application itself, at the root of the origin.
 *
 * @throws {TypeError} An option is missing or wrong; the message names it.
 */
export const authz: FastifyPluginAsync<FastifyAuthzOptions> = fastifyPlugin(
  async (app: FastifyInstance, { issuer, ...options }: FastifyAuthzOptions) => {
    const service = initAuthz(issuer, options);
    service.registerRoutes(app);
    app.decorate("authz", service);
  },
  { name: "@authz/fastify", fastify: ">=5" },
);

export default authz;

const bodies = new WeakMap<object, readonly Uint8Array[]>();

/** Keeps what the parser reads: the limit of the body is the parser's. */
function keepBody(
  request: AnyRequest,
  _reply: AnyReply,
  payload: Readable,
  done: (error?: Error | null, payload?: Readable) => void,
): void {
  const chunks: Uint8Array[] = [];
  bodies.set(request, chunks);
  const kept = new Transform({
    transform(chunk: Uint8Array, _encoding, callback) {
      chunks.push(chunk);
      callback(null, chunk);
    },
  });
  // An error of the payload destroys `kept`, and the parser reports it.
  pipeline(payload, kept, () => undefined);
  done(null, kept);
}

/** The bytes of a body: kept by the hook or by fastify-raw-body, or not parsed at all. @throws {TypeError} */
function keptBody(request: AnyRequest): Uint8Array {
  const chunks = bodies.get(request);
  const { rawBody } = request as { rawBody?: unknown };
  const { body } = request;
  const kept = [chunks && Buffer.concat(chunks), rawBody, body instanceof Uint8Array ? body : undefined];
  return keptNodeBody(request.raw, kept, "Add preParsing: authz.rawBody to the options of the route.");
}

/** `originalUrl` is the request target before `rewriteUrl`; `body` exists if a parser ran. */
function overridesOf({ originalUrl, body }: AnyRequest): Required<NodeRequestOverrides> {
  return { url: originalUrl, body };
}

/** Continues with the request, or answers it. */
function settle(decision: Decision, request: AnyRequest, reply: AnyReply): boolean {
  if (decision.refusal !== undefined) {
    void sendResponse(reply, decision.refusal);
    return false;
  }
  request.auth = decision.auth;
  void reply.headers(decision.headers);
  return true;
}

/** Fastify continues when this resolves, so a refusal must be sent by then. */
async function settleLater(
  decision: Decision | Promise<Decision>,
  request: AnyRequest,
  reply: AnyReply,
): Promise<void> {
  if (!settle(await decision, request, reply)) await reply;
}

/** Sends a response as bytes, because Fastify adds a charset to JSON strings. */
function sendResponse(reply: AnyReply, { status, headers, body }: RouteResponse): AnyReply {
  return reply
    .code(status)
    .headers(headers as Record<string, string | string[]>)
    .send(Buffer.from(body));
}

/** @throws {TypeError} The target is no Fastify instance, or one below a prefix. */
function requireInstance(target: unknown): void {
  const { register, hasRequestDecorator, prefix } = Object(target) as Partial<FastifyInstance>;
  if (typeof register === "function" && typeof hasRequestDecorator === "function" && !prefix) return;
  throw wrongTarget(target, {
    wanted: "the Fastify instance at the root",
    remedy: "authz.registerRoutes(app), where const app = Fastify(), outside of plugins with a prefix",
  });
}
