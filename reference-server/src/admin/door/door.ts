import { Readable } from "node:stream";
import fastifyCookie from "@fastify/cookie";
import { serializerCompiler } from "fastify-type-provider-zod";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServerContext } from "../../context.js";
import { fault } from "../../objects/check.js";
import { invalid, Refusal } from "../../registry/refusal.js";
import { renderMessage } from "../../text/message.js";
import { type Texts, textsIn } from "../../text/texts.js";
import { readLanguage } from "../../pages/frame.js";
import { rawHeaderValues } from "../../platform/http/raw-headers.js";
import { protectedErrorAnswer } from "../../protocol/error-answer.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { createBrowserCookies } from "../../sign-in/browser.js";
import { PagePositionError } from "../../store/page.js";
import type { Store } from "../../store/store.js";
import { administerScope } from "../../store/system-scopes.js";
import { invalidCursor } from "./list-query.js";
import { adminRefused, whoIsRefused } from "./refused-callers.js";
import { hasRole, requireAccess } from "./access.js";
import type { AdminCall, Caller } from "./call.js";
import { identifyAgain, identifyCaller } from "./caller.js";
import { createChange, PreviewEnd } from "./change.js";
import {
  formatVersion,
  parseIfMatch,
  createValidator,
  readJson,
  readUpload,
  takePreview,
  tooLarge,
} from "./requests.js";
import { AdminRefusal, type AdminErrorCode, adminErrorStatus, refusalBody } from "./refusals.js";
import { completeRoute, nameRoute, type NamedRoute } from "./route-rules.js";

/** Room for a thousand assignments at once, or a skill with a long text. */
const maxBodyBytes = 1024 * 1024;

/**
 * The door of the administration API: routes behind it are only reached by callers whom they name, within
 * the limits, with a body and a query that its schemas name, and changes things in one transaction that is audited.
 *
 * Every hook has one rule; they run in the order in which they stand here.
 */
export async function addDoor(scope: FastifyInstance, context: ServerContext): Promise<void> {
  const { config, store, clock } = context;
  const now = () => new Date(clock());
  const cookiesIn = (inside: Store) =>
    createBrowserCookies({ https: config.issuer.startsWith("https:"), store: inside, now });
  const cookies = cookiesIn(store);

  await scope.register(fastifyCookie, { secret: config.sessionSecret });
  scope.decorateRequest("admin", null as unknown as AdminCall);
  const routes: NamedRoute[] = [];
  scope.addHook("onRoute", (route) => {
    completeRoute(route);
    routes.push(...nameRoute(route, scope.prefix));
  });
  scope.setValidatorCompiler(createValidator);
  scope.setSerializerCompiler(serializerCompiler);
  // Bodies stay bytes until the route is known: some take files.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: maxBodyBytes }, (_request, body, done) =>
    done(null, body),
  );

  // Before the body is read, so that only those who may use the route can send a megabyte.
  scope.addHook("onRequest", async (request) => {
    const caller = await identifyCaller(describeRequest(request), { context, cookies, now: now() });
    request.admin = createCall({ request, caller, context, cookiesIn, routes });
    await context.rateLimiter.take("admin.caller", limitedAs(caller));
    requireAccess(caller, request.routeOptions.config.access);
  });

  scope.addHook("onRequest", async ({ params }) => {
    // `/scopes/` is not a scope without a name.
    if (Object.values(params as object).includes("")) {
      throw new AdminRefusal("not_found", "noAddress");
    }
  });

  scope.addHook("onRequest", async ({ admin, headers, routeOptions }) => {
    const { browserOnly, ifMatch } = routeOptions.config;
    if (browserOnly === true && admin.caller.type !== "user") {
      throw new AdminRefusal("access_denied", "browserOnly");
    }
    if (ifMatch === true) admin.version = parseIfMatch(headers["if-match"]);
  });

  scope.addHook("preValidation", async (request) => {
    const { admin, routeOptions } = request;
    const { preview, upload } = routeOptions.config;
    if (preview === true) admin.preview = takePreview(request);
    if (upload !== undefined) {
      admin.upload = readUpload(upload, request);
      return;
    }
    request.body = readJson(request);
    const isWanted = routeOptions.schema?.body !== undefined;
    if (isWanted === (request.body !== undefined)) return;
    throw invalid(fault("", isWanted ? "missing" : "noBody"));
  });

  scope.addHook("preHandler", async ({ routeOptions }, reply) => {
    void reply.code(routeOptions.config.successStatus ?? 200);
  });

  scope.addHook("preSerialization", async (_request, reply, payload) => {
    if (hasVersion(payload)) void reply.header("etag", formatVersion(payload.version));
    return payload;
  });

  scope.addHook("onSend", async ({ method }, _reply, payload) => {
    // Fastify would read a stream to its end to send nothing of it.
    if (method !== "HEAD" || !(payload instanceof Readable)) return payload;
    payload.destroy();
    return "";
  });

  scope.setErrorHandler<Failure>(async (error, request, reply) => {
    if (error instanceof PreviewEnd) {
      return reply
        .code(200)
        .header("content-language", textsFor(request).language)
        .send({ impact: error.impact });
    }
    const refused = whoIsRefused(error, request.admin?.caller);
    if (refused !== undefined) {
      const event = adminRefused(request, { ...refused, at: now() });
      await context.refusals.from(scope.addressOf(request)).record(store, event);
    }
    return answerRefusal(error, request, reply);
  });
}

interface Arrived {
  readonly request: FastifyRequest;
  readonly caller: Caller;
  readonly context: ServerContext;
  readonly cookiesIn: (store: Store) => ReturnType<typeof createBrowserCookies>;
  readonly routes: readonly NamedRoute[];
}

function createCall({ request, caller, context, cookiesIn, routes }: Arrived): AdminCall {
  const { id: requestId } = request;
  const now = new Date(context.clock());
  const texts = textsFor(request);
  const actor =
    caller.type === "user"
      ? ({ type: "user", id: caller.user.id } as const)
      : ({ type: "client", id: caller.clientId } as const);
  const requireAllowed = async (tx: Store) => {
    const current = await identifyAgain(
      { caller, request: describeRequest(request) },
      { context: { ...context, store: tx }, cookies: cookiesIn(tx) },
    );
    requireAccess(current, request.routeOptions.config.access);
    return current;
  };
  const call: AdminCall = {
    context,
    store: context.store,
    now,
    caller,
    actor,
    allowedRoutes: () =>
      routes.flatMap(({ name, access }) => (hasRole(caller, ...access) ? name : [])).sort(),
    requestId,
    language: texts.language,
    say: (message) => renderMessage(message, texts),
    upload: undefined,
    preview: false,
    version: 0,
    change: async (work, reach) => {
      const { preview } = call;
      const change = createChange({ context, now, actor, requestId, preview, texts, requireAllowed });
      return await change(work, reach);
    },
  };
  return call;
}

/** A person may work in several browsers; each has its own limit. */
function limitedAs(caller: Caller): string {
  return caller.type === "user" ? `session ${caller.session.id}` : `client ${caller.clientId}`;
}

function describeRequest(request: FastifyRequest) {
  const { method, url, headers } = request;
  const authorization = rawHeaderValues(request, "authorization");
  return { method, url, headers, cookies: request, authorization, dpop: rawHeaderValues(request, "dpop") };
}

/** In the language that the caller asks for; English when it asks for none. */
function textsFor({ headers }: FastifyRequest): Texts {
  return textsIn(readLanguage(headers["accept-language"]));
}

function hasVersion(result: unknown): result is { readonly version: number } {
  return (
    typeof result === "object" && result !== null && "version" in result && typeof result.version === "number"
  );
}

type Failure = FastifyError | Refusal<AdminErrorCode> | PreviewEnd | PagePositionError | OAuthError;

function answerRefusal(
  error: Exclude<Failure, PreviewEnd>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof OAuthError) {
    request.log.info({ error: error.code, reason: error.reason }, "refused");
    const { status, headers, body } = protectedErrorAnswer(error, administerScope);
    return reply.code(status).headers(headers).send(body);
  }
  const refusal = toAdminError(error);
  if (refusal === undefined) throw error;
  request.log.info({ error: refusal.code, reason: refusal.message }, "refused");
  const texts = textsFor(request);
  return reply
    .code(adminErrorStatus[refusal.code])
    .type("application/json; charset=utf-8")
    .header("content-language", texts.language)
    .send(refusalBody(refusal, texts));
}

/** What Fastify itself refuses before a route runs. */
function toAdminError(error: Exclude<Failure, OAuthError | PreviewEnd>): Refusal<AdminErrorCode> | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof PagePositionError) return invalidCursor();
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return tooLarge();
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AdminRefusal("unsupported_media_type", "sendJson");
    default:
      return undefined;
  }
}
