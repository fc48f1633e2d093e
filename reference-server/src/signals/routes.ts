import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rawHeaderValues } from "../platform/http/raw-headers.js";
import { OAuthError } from "../protocol/oauth-error.js";
import { parseForm, refuseRepeated, requireParameter } from "../protocol/parameters.js";
import { hashSecret } from "../protocol/secrets.js";
import { paths } from "../protocol/vocabulary.js";
import type { SignalStream } from "../store/signal-streams.js";
import { maxTokenBytes } from "./provider-token.js";
import { receiveLogout } from "./receive-logout.js";
import { receiveSignal, recordSignalRefusal } from "./receive-signal.js";
import type { Receipt, SignalContext } from "./signal-context.js";
import { SignalError } from "./signal-error.js";

const tokenType = /^application\/secevent\+jwt[ \t]*(?:;|$)/i;

/** Mounts what identity providers, and transmitters of their signals, post to. */
export async function registerSignals(app: FastifyInstance, context: SignalContext): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const limits = { parseAs: "buffer", bodyLimit: maxTokenBytes } as const;
    scope.addContentTypeParser("*", limits, (_request, body, done) => done(null, body));
    scope.addHook("onRequest", (_request, reply, done) => {
      void reply.header("cache-control", "no-store").header("pragma", "no-cache");
      done();
    });
    const receiptOf = (request: FastifyRequest): Receipt => ({
      context,
      requestId: request.id,
      from: scope.addressOf(request),
    });
    await scope.register(async (logout) => registerLogout(logout, receiptOf));
    await scope.register(async (push) => registerPush(push, receiptOf));
  });
}

/** OpenID Connect Back-Channel Logout 1.0 §2.5. Refusals have the form of RFC 6749 §5.2, as §2.8 wants. */
function registerLogout(app: FastifyInstance, receiptOf: (request: FastifyRequest) => Receipt): void {
  app.setErrorHandler((error: Error, request, reply) => {
    const refusal = toSignalError(error);
    if (refusal === undefined && !isRequestError(error)) throw error;
    const { message } = refusal ?? error;
    request.log.info({ reason: refusal?.reason ?? "invalid_request" }, "A logout token is refused.");
    return reply.code(400).send({ error: "invalid_request", error_description: message });
  });

  app.post(`${paths.backChannelLogout}/:key`, async (request, reply) => {
    const { key } = request.params as { readonly key: string };
    const form = parseForm(request);
    refuseRepeated(form, ["logout_token"]);
    const token = requireParameter(form, "logout_token");
    const receipt = receiptOf(request);
    const { store, refusals, clock } = receipt.context;
    const provider = key.includes("\0") ? undefined : await store.identityProviders.findByKey(key);
    if (provider === undefined || !provider.enabled) throw new SignalError("provider");
    try {
      await receiveLogout(token, provider, receipt);
    } catch (error) {
      if (!(error instanceof SignalError)) throw error;
      await refusals.from(receipt.from).record(store, {
        type: "logout.refused",
        outcome: "denied",
        actor: { type: "system" },
        at: new Date(clock()),
        requestId: request.id,
        data: { provider: provider.key, reason: `signal_${error.reason}` },
      });
      throw error;
    }
    return await reply.code(200).send();
  });
}

/** RFC 8935 §2. */
function registerPush(app: FastifyInstance, receiptOf: (request: FastifyRequest) => Receipt): void {
  app.setErrorHandler((error: Error, request, reply) => {
    const refusal = toSignalError(error);
    if (refusal === undefined) throw error;
    return refuse(refusal, request, reply);
  });

  app.post(`${paths.signals}/:key`, async (request, reply) => {
    const { key } = request.params as { readonly key: string };
    const receipt = receiptOf(request);
    const { store } = receipt.context;
    const stream = key.includes("\0") ? undefined : await store.signalStreams.findByKey(key);
    // A stream that is not there, and one that is polled, refuse as one with another credential does.
    if (stream === undefined) throw new SignalError("credential");
    const refusal = findRefusal(stream, request);
    if (refusal !== undefined) {
      await recordSignalRefusal(refusal, stream, receipt);
      throw refusal;
    }
    const body = request.body as Buffer | undefined;
    await receiveSignal((body ?? Buffer.alloc(0)).toString("latin1"), stream, receipt);
    return await reply.code(202).send();
  });
}

/** Why a request is refused before its token is read. */
function findRefusal(stream: SignalStream, request: FastifyRequest): SignalError | undefined {
  if (!presentsCredential(stream, rawHeaderValues(request, "authorization")))
    return new SignalError("credential");
  if (!stream.enabled) return new SignalError("paused");
  if (!tokenType.test(request.headers["content-type"] ?? "")) return new SignalError("content_type");
  return undefined;
}

function presentsCredential(
  { credentialHash }: Pick<SignalStream, "credentialHash">,
  authorization: readonly string[],
): boolean {
  const [only = "", ...others] = authorization;
  const [, credential] = /^Bearer ([A-Za-z0-9._~+/=-]{1,512})$/i.exec(only) ?? [];
  if (credential === undefined || others.length > 0 || credentialHash === null) return false;
  return timingSafeEqual(hashSecret(credential), credentialHash);
}

function refuse(refusal: SignalError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code: err, message: description, reason } = refusal;
  request.log.info({ reason }, "A security event token is refused.");
  return reply.code(400).header("content-language", "en").send({ err, description });
}

/** What Fastify itself refuses before a route runs. */
function toSignalError(error: Error): SignalError | undefined {
  if (error instanceof SignalError) return error;
  switch ((error as { readonly code?: unknown }).code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new SignalError("too_large", { cause: error });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new SignalError("content_type", { cause: error });
    default:
      return undefined;
  }
}

function isRequestError(error: Error): boolean {
  return error instanceof OAuthError && error.code === "invalid_request";
}
