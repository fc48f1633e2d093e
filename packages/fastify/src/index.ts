/**
 * Authz for Fastify: who is calling, and may they.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import {
  type Auth,
  type AuthzOptions,
  initAuthz as initVerification,
  type Policy,
  readNodeBody,
  requestFromNode,
  routeRequestFromNode,
} from "@authz/verify";
import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from "fastify";
import { type AnyReply, type AnyRequest, sendResponse, whatFastifyKnows } from "./messages.js";

export type {
  AuthzLogEvent,
  AuthzOptions,
  NonceSource,
  Policy,
  RemoteSigner,
  ReplayStore,
  SigningKey,
  SigningKeyProvider,
  Skill,
  SkillsOptions,
} from "@authz/verify";
export {
  type Auth,
  AuthzUnavailableError,
  createNonceSource,
  generateEs256KeyPair,
  type Identity,
  inMemory,
} from "@authz/verify";

declare module "fastify" {
  interface FastifyRequest {
    /** The verified caller. Present behind `requireAuth()`, and only there. */
    auth: Auth;
  }
}

/** A hook for `onRequest` or `preHandler`, on HTTP/1.1 and HTTP/2. */
export type AuthHook = (request: AnyRequest, reply: AnyReply) => Promise<void>;

/** Any Fastify instance, whatever its server, logger and type provider are. */
export interface RouteTarget {
  register(plugin: never): unknown;
  decorateRequest(name: never): unknown;
  hasRequestDecorator(name: string): boolean;
}

/** Authz for one Fastify service. */
export interface FastifyAuthz {
  /**
   * Mounts discovery, signing keys, the token endpoint and skills in a plugin of their own.
   *
   * Content type parsers of the application stay untouched, and a global `requireAuth()` leaves these routes open.
   */
  registerRoutes(app: RouteTarget): void;
  /**
   * Returns a hook that lets a request pass only with valid authorization and sets `request.auth`.
   *
   * As `onRequest` it refuses before the body is read. As `preHandler` it also sees a token that was sent in a form.
   * Without a policy, any valid authorization will do. Errors that are not refusals are thrown.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  requireAuth(policy?: Policy): AuthHook;
  /**
   * Checks the issuer's discovery and this service's signing key. Call it at start-up.
   *
   * @throws {AuthzUnavailableError} The message says which address failed, how, and what to check.
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
  /** Where the SDK's own routes live, which no guard of the application may close. */
  const ownScopes = new WeakSet<FastifyInstance>();

  return {
    registerRoutes(target) {
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
              await route.handle(await routeRequestFromNode(request.raw, whatFastifyKnows(request))),
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
      return async (request, reply) => {
        if (ownScopes.has(request.server)) return;
        const decision = await authz.decide(
          requestFromNode(request.raw, whatFastifyKnows(request)),
          checkedPolicy,
        );
        if (decision.refusal !== undefined) {
          await sendResponse(reply, decision.refusal);
          return;
        }
        request.auth = decision.auth;
        void reply.headers(decision.headers);
      };
    },

    ready: () => authz.ready(),
  };
}
