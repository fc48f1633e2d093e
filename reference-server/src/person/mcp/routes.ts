import type { AgentCalls } from "@authz/agent-tools";
import type { JsonObject } from "@authz/dpop/jws";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RefusalRecord } from "../../audit/refusals.js";
import type { Caller, VerifyCredentials } from "../../oauth/tokens/identify-caller.js";
import { protectedRequestOf } from "../../platform/http/protected-request.js";
import { rawHeaderValues } from "../../platform/http/raw-headers.js";
import { RateLimitedError, type RateLimiter } from "../../platform/rate-limits/rate-limiter.js";
import { discoverableErrorAnswer } from "../../protocol/error-answer.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { lifetimes, paths } from "../../protocol/vocabulary.js";
import type { Resource } from "../../store/resources.js";
import type { Store } from "../../store/store.js";
import { agentsScope } from "../../store/system-scopes.js";
import { describeRefusal } from "./describe-refusal.js";
import { createGrantLimit, createLiveCheck } from "./limits.js";
import type { McpHandler } from "./mcp-handler.js";
import {
  maximumMessageBytes,
  MessageError,
  messageErrorBody,
  messageErrors,
  readMessage,
} from "./message.js";
import { answerPlainCall, readPlainCall } from "./plain-call.js";
import type { MessageContext } from "./request-tool.js";
import { sendEvents, sendResponse } from "./send-answer.js";

export interface AgentRoutesOptions {
  readonly issuer: string;
  readonly store: Pick<Store, "resources" | "settings">;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  /** Verifies token and proof of a request; then grant and permission, and that this address is enabled. @throws {OAuthError} */
  readonly verify: VerifyCredentials;
  readonly refusalsFrom: (address: string) => RefusalRecord;
  readonly callsFor: (message: MessageContext) => AgentCalls;
  readonly openHandler: () => Promise<McpHandler>;
}

const howToSignIn = "Sign in with OAuth; a host without it can run `authz mcp`.";

/** Cost 1: a longer message counts as several. */
const shortBytes = 64 * 1024;

/** Mounts the address for agents, and the document by which hosts find out how to sign in. */
export async function registerAgents(app: FastifyInstance, options: AgentRoutesOptions): Promise<void> {
  const { issuer, store } = options;
  const findOwnResource = async () =>
    requireEnabled(await store.resources.findByIdentifier(`${issuer}${paths.agents}`));

  app.get(paths.agentsMetadata, async (_request, reply) => {
    const resource = await findOwnResource();
    const { installationName } = await store.settings.get();
    return await reply
      .header("access-control-allow-origin", "*")
      .header("cross-origin-resource-policy", "cross-origin")
      .header("cache-control", "public, max-age=300")
      .type("application/json; charset=utf-8")
      .send(metadataOf(resource, installationName));
  });

  await app.register(async (agents) => {
    agents.removeAllContentTypeParsers();
    agents.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    addErrorAnswers(agents, { issuer, findOwnResource });
    const callers = addAdmission(agents, options);

    agents.route({
      // The library refuses those that it does not support.
      method: ["POST", "GET", "DELETE"],
      url: paths.agents,
      exposeHeadRoute: false,
      bodyLimit: maximumMessageBytes,
      async handler(request, reply) {
        const caller = callers.get(request) as Caller;
        const message = request.method === "POST" ? readMessage(bodyOf(request)) : undefined;
        const refusals = options.refusalsFrom(app.addressOf(request));
        const calls = options.callsFor({ caller, requestId: request.id, refusals });
        await answer({ request, reply, message, calls }, options);
        return reply;
      },
    });
  });
}

/** Answers with JSON-RPC errors, and with a challenge where a host has to sign in. */
function addErrorAnswers(
  agents: FastifyInstance,
  { issuer, findOwnResource }: { readonly issuer: string; readonly findOwnResource: () => Promise<Resource> },
): void {
  const metadataUrl = `${issuer}${paths.agentsMetadata}`;
  agents.setErrorHandler<FastifyError>(async (error, request, reply) => {
    let failure = error;
    if (error instanceof OAuthError) {
      try {
        const { allowsBearer } = await findOwnResource();
        const { code, reason } = error;
        request.log.info({ error: code, reason }, "An agent was refused.");
        const place = { metadataUrl, scope: agentsScope, allowsBearer, howToSignIn };
        const { status, headers, body } = discoverableErrorAnswer(error, place);
        return await reply.code(status).headers(headers).send(body);
      } catch (other) {
        failure = other as FastifyError;
      }
    }
    const refusal = asMessageError(failure);
    if (refusal === undefined) throw failure;
    if (failure instanceof RateLimitedError)
      void reply.header("retry-after", String(failure.retryAfterSeconds));
    else if (refusal.status === 429) void reply.header("retry-after", "1");
    return await reply
      .code(refusal.status)
      .header("cache-control", "no-store")
      .send(messageErrorBody(refusal));
  });
}

/** Admits a request before anything of its body is read. @returns The caller of each request. */
function addAdmission(
  agents: FastifyInstance,
  { issuer, rateLimiter, verify }: AgentRoutesOptions,
): WeakMap<FastifyRequest, Caller> {
  const acquirePermits = createGrantLimit();
  const requireLive = createLiveCheck();
  const callers = new WeakMap<FastifyRequest, Caller>();
  agents.addHook("onRequest", async (request, reply) => {
    refuseOtherOrigins(request, issuer);
    const credentials = verify(protectedRequestOf(request));
    const cost = costOf(request);
    const early = cost > 1 ? await credentials.identify() : undefined;
    try {
      await rateLimiter.take("agents.grant", credentials.claims.grantId, cost);
      // The close event, which releases the permits, has been emitted already.
      if (reply.raw.destroyed) throw callerGone();
      reply.raw.once("close", acquirePermits(credentials.claims.grantId, cost));
    } catch (error) {
      // An app that was signed out has to sign in, and not to wait.
      const isTooMuch = asMessageError(error as FastifyError)?.status === 429;
      if (isTooMuch && early === undefined) await requireLive(credentials);
      throw error;
    }
    callers.set(request, early ?? (await credentials.identify()));
  });
  return callers;
}

interface ReceivedMessage {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly message: JsonObject | undefined;
  readonly calls: AgentCalls;
}

async function answer(
  { request, reply, message, calls }: ReceivedMessage,
  { issuer, openHandler }: AgentRoutesOptions,
): Promise<void> {
  const signal = untilOver(reply, message);
  const describe = (error: unknown) => {
    const words = describeRefusal(error, issuer);
    if (words !== undefined) return words;
    request.log.error({ code: "AGENT_CALL_FAILED", err: error }, "A call from an agent failed.");
    return `server_error: The server failed. Its log has the cause under request ${request.id}.`;
  };
  const plain = message && readPlainCall(message, request.headers);
  if (plain !== undefined) {
    const session = { open: async () => await Promise.resolve(calls), describe };
    await sendEvents(async (send) => {
      const notify = async (notification: object) => void send({ jsonrpc: "2.0", ...notification });
      return await answerPlainCall(plain, session, { signal, notify });
    }, reply);
    return;
  }
  const handler = await openHandler();
  const response = await handler.serve(webRequest(request, signal, issuer), message, { calls, describe });
  await sendResponse(response, reply);
}

/**
 * What agent hosts read about the address for agents before they know anything else.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-2 | RFC 9728 §2}
 */
function metadataOf(
  { resource, authorizationServer, allowsBearer }: Resource,
  installationName: string,
): object {
  return {
    resource,
    authorization_servers: [authorizationServer],
    scopes_supported: [agentsScope],
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported: ["ES256"],
    dpop_bound_access_tokens_required: !allowsBearer,
    resource_name: installationName,
  };
}

/** Cost of a message in short messages, by its Content-Length, which Node does not let a sender exceed. */
function costOf({ headers }: FastifyRequest): number {
  if (headers["transfer-encoding"] !== undefined) return maximumMessageBytes / shortBytes;
  const length = Math.min(Number(headers["content-length"] ?? "0"), maximumMessageBytes);
  return Math.max(1, Math.ceil(length / shortBytes));
}

/** @throws {MessageError} 404 */
function requireEnabled(resource: Resource | undefined): Resource {
  if (resource?.enabled === true) return resource;
  throw new MessageError(404, messageErrors.invalidRequest, "An administrator has disabled this address.");
}

/**
 * Keeps pages on other sites from calling this address with what a browser on this network can reach.
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

/** For the log: its answer is not received. */
function callerGone(): MessageError {
  return new MessageError(400, messageErrors.invalidRequest, "The caller went away.");
}

/** Aborts when the caller goes. A subscription stream ends at the latest with the token that it was opened with. */
function untilOver({ raw }: FastifyReply, message: JsonObject | undefined): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort();
  });
  if (raw.destroyed) gone.abort();
  if (message?.["method"] !== "subscriptions/listen") return gone.signal;
  return AbortSignal.any([gone.signal, AbortSignal.timeout(lifetimes.accessToken * 1000)]);
}

/** The request as the library reads it, without its credentials. */
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
