import type { IncomingMessage } from "node:http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Refusals } from "../../../audit/refusals.js";
import { addExpectContinue, awaitsContinue } from "../../../platform/http/expect-continue.js";
import { protectedRequestOf } from "../../../platform/http/protected-request.js";
import type { IdentifyCaller } from "../../../oauth/tokens/identify-caller.js";
import { protectedErrorAnswer } from "../../../protocol/error-answer.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { loginScope } from "../../../store/system-scopes.js";
import { connectorMethods } from "../../../store/connectors.js";
import { VaultError } from "../../../platform/vault/key-ring.js";
import type { HandedAnswer } from "../../../forwarding/hand-answer.js";
import { headerValues, pairHeaderLines } from "../../../forwarding/header-lines.js";
import { asRefusal, refusals } from "../../../forwarding/refusals.js";
import { isNeverSent } from "../../../protocol/request-headers.js";
import {
  CallerGoneError,
  discardRest,
  uploadBody,
  type UploadOptions,
} from "../../../forwarding/upload-body.js";
import {
  proxyStatusError,
  proxyStatusReceived,
  refusalAnswer,
  type UseRefusal,
} from "../../../forwarding/use-refusal.js";
import type { ForwardThroughConnection } from "../../../connectors/use/forward-request.js";
import { connectorRefusals } from "../../../connectors/use/refusals.js";

export interface ConnectionUseOptions {
  readonly identify: IdentifyCaller;
  readonly refusals: Pick<Refusals, "from">;
  readonly forward: ForwardThroughConnection;
}

const useRoute = "/api/me/connections/:key/requests";

const usePath = /^\/api\/me\/connections\/[^/]+\/requests$/;

/** Mounts the route through which requests go to third parties. Bodies stream; nothing here holds one. */
export async function registerConnectionUse(
  app: FastifyInstance,
  { identify, refusals: recorded, forward }: ConnectionUseOptions,
): Promise<void> {
  addExpectContinue(app, (path) => usePath.test(path));
  await app.register(async (use) => {
    // The handler gets the body of any type as it arrives; the connector limits its length.
    use.removeAllContentTypeParsers();
    use.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    use.setErrorHandler<FastifyError>((error, request, reply) => refuse(error, request, reply));

    use.route<{ Params: { key: string } }>({
      // Fastify answers other methods with 404.
      method: [...connectorMethods],
      url: useRoute,
      // Fastify would answer HEAD with the handler of GET.
      exposeHeadRoute: false,
      // The connector has its own time limit.
      config: { handsThrough: true },
      async handler(request, reply) {
        const caller = await identify(protectedRequestOf(request));
        const headers = pairHeaderLines(request.raw.rawHeaders);
        const framing = readFraming(request.raw);
        const answer = await forward({
          caller,
          connectorKey: request.params.key,
          method: request.method,
          target: headerValues(headers, "authz-target"),
          requestId: request.id,
          headers,
          contentLength: framing.contentLength,
          body: framing.hasBody ? (upload) => openBody({ request, reply }, upload) : undefined,
          refusals: recorded.from(app.addressOf(request)),
          signal: untilCallerGoes(reply),
        });
        return hand(answer, request, reply);
      },
    });
  });
}

/** The body as it arrives; a caller that waits for it is told to continue when it is first read. */
function openBody(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  options: UploadOptions,
) {
  const begin = () => {
    if (awaitsContinue(request.raw)) reply.raw.writeContinue();
  };
  return uploadBody(request.raw, { ...options, begin });
}

interface Framing {
  readonly hasBody: boolean;
  readonly contentLength: number | undefined;
}

/** Node has refused contradictory headers; what is left is a length, chunks, or nothing. */
function readFraming({ headers }: IncomingMessage): Framing {
  const coding = headers["transfer-encoding"];
  if (coding !== undefined) {
    if (coding.trim().toLowerCase() === "chunked") return { hasBody: true, contentLength: undefined };
    throw connectorRefusals.transferEncoding();
  }
  const contentLength = Number(headers["content-length"] ?? "0");
  return contentLength === 0
    ? { hasBody: false, contentLength: undefined }
    : { hasBody: true, contentLength };
}

/** Ends when the caller goes away before the answer is complete. */
function untilCallerGoes({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort(new CallerGoneError());
  });
  if (raw.destroyed) gone.abort(new CallerGoneError());
  return gone.signal;
}

function hand(answer: HandedAnswer, request: FastifyRequest, reply: FastifyReply) {
  const { status, headers, body } = answer;
  discardUnread(request, reply);
  // A caller that does not read must not keep its slot forever.
  const timer = setTimeout(() => reply.raw.socket?.resetAndDestroy(), answer.millisecondsLeft).unref();
  reply.raw.once("close", () => clearTimeout(timer));
  void reply.code(status).header("proxy-status", proxyStatusReceived(status));
  for (const [name, values] of Object.entries(headers)) {
    void reply.header(name, values.length === 1 ? values[0] : values);
  }
  const leftOut = answer.leftOut.filter((name) => !isNeverSent(name));
  if (leftOut.length > 0) void reply.header("authz-left-out", leftOut.join(", "));
  // These two are set by this server, not by the third party.
  void reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
  if (body === null) return reply.send();
  // Headers go out without waiting for the body, but with the part of it that has arrived.
  body.once("resume", () => {
    setImmediate(() => {
      if (!reply.raw.headersSent && !reply.raw.destroyed) reply.raw.flushHeaders();
    });
  });
  // An answer that breaks must not look complete, not even to a client that reads until the connection closes.
  body.once("error", () => reply.raw.socket?.resetAndDestroy());
  return reply.send(body);
}

/** Discards what is left of the request when the answer has been sent. */
function discardUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once("finish", () => discardRest(raw));
}

function refuse(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  discardUnread(request, reply);
  if (error instanceof OAuthError) {
    const { status, headers, body } = protectedErrorAnswer(error, loginScope);
    const proxyStatus = proxyStatusError("http_request_denied");
    // A proxy may have repeated a request that was forwarded the first time.
    const sent = error.reason === "replayed" ? "maybe" : "no";
    return reply
      .code(status)
      .headers(headers)
      .header("proxy-status", proxyStatus)
      .send({ ...body, sent });
  }
  const refusal = routeRefusal(error);
  // An unforeseen failure: whether the request was sent is unknown.
  if (refusal === undefined) throw error;
  const { status, headers, body } = refusalAnswer(refusal);
  const { reason, sent, cause } = refusal;
  request.log.info({ reason, sent }, "A request through a connector was refused, or not answered.");
  if (cause instanceof VaultError) {
    const problem = { keyReason: cause.reason, problem: cause.message };
    request.log.warn(
      { code: "CONNECTION_KEY_UNAVAILABLE", ...problem },
      "Stored access cannot be opened now.",
    );
  }
  return reply.code(status).headers(headers).send(body);
}

function routeRefusal(error: FastifyError): UseRefusal | undefined {
  const refusal = asRefusal(error);
  if (refusal !== undefined) return refusal;
  if (error.statusCode === 503) return refusals.overloaded();
  if (error.statusCode === 415) return connectorRefusals.contentType();
  return undefined;
}
