import type { JsonObject } from "@authz/dpop/jws";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AgentCalls } from "@authz/agent-tools";
import type { RefusalRecord } from "../audit/refusals.js";
import type { Caller, ShowCaller, ShownCaller } from "../oauth/tokens/identify-caller.js";
import { protectedRequestOf } from "../platform/http/protected-request.js";
import { rawHeaderValues } from "../platform/http/raw-headers.js";
import { RateLimitedError, type RateLimiter } from "../platform/rate-limits/rate-limiter.js";
import { discoverableErrorAnswer } from "../protocol/error-answer.js";
import { OAuthError } from "../protocol/oauth-error.js";
import { lifetimes, paths } from "../protocol/vocabulary.js";
import { agentsScope } from "../store/system-scopes.js";
import type { Act } from "../store/grants.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import { createCallPlaces } from "./call-places.js";
import { type CallsAhead, type CallsAheadOptions, lookAhead } from "./calls-ahead.js";
import { describeRefusal } from "./describe-refusal.js";
import type { McpHandler } from "./mcp-handler.js";
import { MessageError, messageErrorBody, messageErrors } from "./message-error.js";
import { agentsMetadata } from "./metadata.js";
import { answerPlainCall, type PlainCall, readPlainCall } from "./plain-call.js";
import { maximumMessageBytes, readMessage } from "./read-message.js";
import { createLookAgain } from "./second-look.js";
import { sendEvents } from "./send-events.js";
import { sendResponse } from "./send-response.js";

/** One message, as far as what it does is recorded. */
export interface MessageContext {
  readonly caller: Caller;
  readonly requestId: string;
  readonly refusals: RefusalRecord;
  /** What was noted when the caller was identified. */
  readonly ahead: CallsAhead;
}

export interface AgentsOptions extends CallsAheadOptions {
  readonly issuer: string;
  readonly store: Pick<Store, "resources" | "settings">;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  /** Verifies token and proof of a request; then grant and permission, and that this address is enabled. @throws {OAuthError} */
  readonly show: ShowCaller;
  readonly refusalsFrom: (address: string) => RefusalRecord;
  readonly callsFor: (message: MessageContext) => AgentCalls;
  readonly openHandler: () => Promise<McpHandler>;
}

/** What is known about a request when its body is read. */
interface Admitted {
  readonly shown: ShownCaller;
  /** `undefined`: still to be identified. */
  readonly caller: Caller | undefined;
}

/** A message, and who sent it. */
interface Received {
  readonly caller: Caller;
  readonly message: JsonObject | undefined;
  readonly plain: PlainCall | undefined;
  readonly ahead: CallsAhead;
}

const howToSignIn = "Sign in with OAuth; a host without it can run `authz mcp`.";

/** A message that is as long as that at most is here at once, and is read before its sender is asked about. */
const shortBytes = 64 * 1024;

/** Mounts the address for agents, and the document by which hosts find the way in. */
export async function registerAgents(app: FastifyInstance, options: AgentsOptions): Promise<void> {
  const { issuer, store, rateLimiter, show, refusalsFrom, callsFor, openHandler } = options;
  const metadataUrl = `${issuer}${paths.agentsMetadata}`;
  const takePlaces = createCallPlaces();
  const lookAgain = createLookAgain();
  const lookUp = () => store.resources.findByIdentifier(`${issuer}${paths.agents}`);
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  const bearers = new WeakMap<FastifyRequest, boolean>();

  app.get(paths.agentsMetadata, async (_request, reply) => {
    const resource = requireEnabled(await lookUp());
    const { installationName } = await store.settings.get();
    return await reply
      .header("access-control-allow-origin", "*")
      .header("cross-origin-resource-policy", "cross-origin")
      .header("cache-control", "public, max-age=300")
      .type("application/json; charset=utf-8")
      .send(agentsMetadata(resource, installationName));
  });

  async function challenged<T>(request: FastifyRequest, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OAuthError) bearers.set(request, requireEnabled(await lookUp()).allowsBearer);
      throw error;
    }
  }

  /** Nobody learns what is wrong with a message but those who may send one. */
  async function receive(request: FastifyRequest): Promise<Received> {
    const { shown, caller } = admitted.get(request) as Admitted;
    const identify = (act?: Act) => caller ?? challenged(request, () => shown.identify(act));
    let message: JsonObject | undefined;
    try {
      message = request.method === "POST" ? readMessage(bodyOf(request)) : undefined;
    } catch (error) {
      await identify();
      throw error;
    }
    const plain = message && readPlainCall(message, request.headers);
    const isAhead = plain !== undefined && caller === undefined;
    const ahead = isAhead ? lookAhead(plain, { claims: shown.claims, requestId: request.id }, options) : {};
    try {
      return { caller: await identify((ahead.service ?? ahead.connection)?.act), message, plain, ahead };
    } catch (error) {
      await dispose(ahead);
      throw error;
    }
  }

  await app.register(async (agents) => {
    agents.removeAllContentTypeParsers();
    agents.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    agents.setErrorHandler<FastifyError>((error, request, reply) => {
      if (error instanceof OAuthError) {
        const { code, reason } = error;
        request.log.info({ error: code, reason }, "An agent was refused.");
        const allowsBearer = bearers.get(request) ?? false;
        const place = { metadataUrl, scope: agentsScope, allowsBearer, howToSignIn };
        const { status, headers, body } = discoverableErrorAnswer(error, place);
        return reply.code(status).headers(headers).send(body);
      }
      const refusal = asMessageError(error);
      if (refusal === undefined) throw error;
      if (error instanceof RateLimitedError)
        void reply.header("retry-after", String(error.retryAfterSeconds));
      else if (refusal.status === 429) void reply.header("retry-after", "1");
      return reply
        .code(refusal.status)
        .header("cache-control", "no-store")
        .send(messageErrorBody(refusal.code, refusal.message));
    });
    // Before anything of a body is read.
    agents.addHook("onRequest", async (request, reply) => {
      refuseOtherOrigins(request, issuer);
      const shown = await challenged(request, () => show(protectedRequestOf(request)));
      const cost = costOf(request);
      const caller = cost === 1 ? undefined : await challenged(request, () => shown.identify());
      try {
        await rateLimiter.take("agents.grant", shown.claims.grantId, cost);
        // Who has gone by now closes nothing any more that would give the place back.
        if (reply.raw.destroyed) throw callerGone();
        reply.raw.once("close", takePlaces(shown.claims.grantId, cost));
      } catch (error) {
        // Whoever was signed out is to sign in, and not to wait.
        const isTooMuch = asMessageError(error as FastifyError)?.status === 429;
        if (isTooMuch && caller === undefined) await challenged(request, () => lookAgain(shown));
        throw error;
      }
      admitted.set(request, { shown, caller });
    });

    agents.route({
      // The library says which of them it takes.
      method: ["POST", "GET", "DELETE"],
      url: paths.agents,
      exposeHeadRoute: false,
      bodyLimit: maximumMessageBytes,
      async handler(request, reply) {
        const { caller, message, plain, ahead } = await receive(request);
        const context = {
          caller,
          requestId: request.id,
          refusals: refusalsFrom(app.addressOf(request)),
          ahead,
        };
        const signal = untilOver(reply, message);
        const calls = callsFor(context);
        const describe = (error: unknown) => {
          const words = describeRefusal(error, issuer);
          if (words !== undefined) return words;
          request.log.error({ code: "AGENT_CALL_FAILED", err: error }, "A call from an agent failed.");
          return `server_error: The server failed. Its log has the cause under request ${request.id}.`;
        };
        if (plain !== undefined) {
          const session = { open: async () => await Promise.resolve(calls), describe };
          await sendEvents(async (tell) => {
            const notify = async (notification: object) => void tell({ jsonrpc: "2.0", ...notification });
            try {
              return await answerPlainCall(plain, session, { signal, notify });
            } finally {
              await dispose(ahead);
            }
          }, reply);
          return reply;
        }
        const handler = await openHandler();
        const response = await handler.serve(webRequest(request, signal, issuer), message, {
          calls,
          describe,
        });
        await sendResponse(response, reply);
        return reply;
      },
    });
  });
}

/** Cost of a message in short messages, by its Content-Length, which Node does not let a sender exceed. */
function costOf({ headers }: FastifyRequest): number {
  if (headers["transfer-encoding"] !== undefined) return maximumMessageBytes / shortBytes;
  const length = Math.min(Number(headers["content-length"] ?? "0"), maximumMessageBytes);
  return Math.max(1, Math.ceil(length / shortBytes));
}

/** Forgets what was noted and not gone on with. */
async function dispose({ service, connection }: CallsAhead): Promise<void> {
  await (service ?? connection)?.dispose();
}

/** @throws {MessageError} 404 */
function requireEnabled(resource: Resource | undefined): Resource {
  if (resource?.enabled === true) return resource;
  throw new MessageError(404, messageErrors.invalidRequest, "An administrator has disabled this address.");
}

/**
 * A page somewhere else must not call this address with what a browser on this network can reach.
 *
 * @throws {MessageError} 403
 */
function refuseOtherOrigins(request: FastifyRequest, issuer: string): void {
  if (rawHeaderValues(request, "origin").every((origin) => origin === new URL(issuer).origin)) return;
  throw new MessageError(
    403,
    messageErrors.invalidRequest,
    "Pages on other sites may not call this address.",
  );
}

/** @throws {MessageError} 415 */
function bodyOf({ headers, body }: FastifyRequest): unknown {
  if (/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) return body;
  throw new MessageError(415, messageErrors.invalidRequest, "Send the message as application/json.");
}

/** Nobody reads it. */
function callerGone(): MessageError {
  return new MessageError(400, messageErrors.invalidRequest, "The caller went away.");
}

/** Ends when the caller goes. A stream that waits for news ends with the token that it was opened with, at the latest. */
function untilOver({ raw }: FastifyReply, message: JsonObject | undefined): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort();
  });
  if (raw.destroyed) gone.abort();
  if (message?.["method"] !== "subscriptions/listen") return gone.signal;
  return AbortSignal.any([gone.signal, AbortSignal.timeout(lifetimes.accessToken * 1000)]);
}

/** The request as the library reads it: nothing of its credentials. */
function webRequest(request: FastifyRequest, signal: AbortSignal, issuer: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    const isAboutMessage = name === "accept" || name === "content-type" || name.startsWith("mcp-");
    if (isAboutMessage && typeof value === "string") headers.set(name, value);
  }
  return new Request(`${issuer}${paths.agents}`, { method: request.method, headers, signal });
}

function asMessageError(error: FastifyError): MessageError | undefined {
  if (error instanceof MessageError) return error;
  if (error instanceof RateLimitedError) {
    const message = `This app has sent too many requests. Try again in ${String(error.retryAfterSeconds)} seconds.`;
    return new MessageError(429, messageErrors.internal, message);
  }
  if (error.statusCode === 413) {
    const message = `A message may have at most ${String(maximumMessageBytes)} bytes.`;
    return new MessageError(413, messageErrors.invalidRequest, message);
  }
  return undefined;
}
