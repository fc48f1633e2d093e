import { Readable } from "node:stream";
import { JwsError, parseStrictJson } from "@authz/dpop/jws";
import fastifyCookie from "@fastify/cookie";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServerContext } from "../../context.js";
import { rawHeaderValues } from "../../platform/http/raw-headers.js";
import { createBrowserCookies } from "../../sign-in/browser-cookies.js";
import { protectedErrorAnswer } from "../../protocol/error-answer.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { readLanguage } from "../../pages/language.js";
import { administerScope } from "../../store/system-scopes.js";
import { PagePositionError } from "../../store/page.js";
import type { Store } from "../../store/store.js";
import { adminTexts, type AdminTexts } from "../texts/texts.js";
import { AdminError, adminErrorBody, adminErrorStatus, fieldError, invalidCursor } from "./admin-error.js";
import { adminRefused, whoIsRefused } from "./admin-refused.js";
import type { AdminCall, Caller } from "./call.js";
import { identifyCaller, requireStillAllowed } from "./caller.js";
import { createChange, PreviewEnd } from "./change.js";
import { RawAnswer } from "./raw-answer.js";
import type { AdminArea, AdminRoute, Upload, UploadRules } from "./route.js";
import { createRouteTable, type FindRoute, type FoundRoute } from "./route-table.js";
import { formatVersion, parseIfMatch } from "./versions.js";

/** Where the admin API lives. */
export const adminPrefix = "/api/admin/v1";
/** Room for a thousand assignments at once, or a skill with a long text. */
const maxBodyBytes = 1024 * 1024;

/**
 * Mounts the admin API: each request is identified, checked, validated, run, and answered in the same way.
 *
 * The areas are loaded with the first request of an administrator, so that a server nobody administers at the moment
 * does without the memory for them.
 */
export async function mountAreas(
  app: FastifyInstance,
  { context, loadAreas }: { readonly context: ServerContext; readonly loadAreas: LoadAreas },
): Promise<void> {
  const { config, store, clock } = context;
  const now = () => new Date(clock());
  const https = config.issuer.startsWith("https:");
  const cookies = createBrowserCookies({ https, store, now });
  let loading: Promise<FindRoute> | undefined;
  await app.register(async (scope) => {
    await scope.register(fastifyCookie, { secret: config.sessionSecret });
    addBodyParsers(scope);
    const callers = new WeakMap<FastifyRequest, Caller>();
    scope.setErrorHandler<Refusal>(async (error, request, reply) => {
      const refused = whoIsRefused(error, callers.get(request));
      if (refused !== undefined) {
        const event = adminRefused(request, { ...refused, at: now() });
        await context.refusals.from(app.addressOf(request)).record(store, event);
      }
      return answerRefusal(error, request, reply);
    });
    // Before the body is read: nobody but an administrator makes this server read a megabyte.
    scope.addHook("onRequest", async (request) => {
      const caller = await identifyCaller(describeRequest(request), { context, cookies, now: now() });
      await context.rateLimiter.take("admin.caller", limitedAs(caller));
      callers.set(request, caller);
    });
    scope.route({
      method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      url: `${adminPrefix}/*`,
      bodyLimit: maxBodyBytes,
      handler: async (request, reply) => {
        const caller = callers.get(request);
        if (caller === undefined) throw new Error("The caller was not identified.");
        loading ??= loadAreas().then(createRouteTable);
        const found = (await loading)(routeMethod(request), routePath(request));
        if (found === undefined) throw new AdminError("not_found", ({ refusals }) => refusals.noAddress);
        const requireAllowed = (tx: Store) =>
          requireStillAllowed(
            { caller, request: describeRequest(request) },
            { context: { ...context, store: tx }, cookies: createBrowserCookies({ https, store: tx, now }) },
          );
        return await answer(found, { request, reply, context, caller, requireAllowed });
      },
    });
  });
}

/** Gives the areas of the admin API when they are needed. */
export type LoadAreas = () => Promise<readonly AdminArea[]>;

/** What is there to be read can be asked about. */
function routeMethod({ method }: FastifyRequest): string {
  return method === "HEAD" ? "GET" : method;
}

function routePath({ url }: FastifyRequest): string {
  const [path = ""] = url.split("?");
  return path.slice(adminPrefix.length);
}

/** A person may work in several browsers; each has its own limit. */
function limitedAs(caller: Caller): string {
  return caller.type === "user" ? `session ${caller.session.id}` : `client ${caller.clientId}`;
}

/** In the language that the caller asks for; English when it asks for none. */
function textsFor({ headers }: FastifyRequest): AdminTexts {
  return adminTexts(readLanguage(headers["accept-language"]));
}

function describeRequest(request: FastifyRequest) {
  const { method, url, headers } = request;
  const authorization = rawHeaderValues(request, "authorization");
  return { method, url, headers, cookies: request, authorization, dpop: rawHeaderValues(request, "dpop") };
}

/** Bodies stay bytes until the route is known: some take files. */
function addBodyParsers(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

/** Who does what, from the head of a request on to its change. */
interface Caused {
  readonly context: ServerContext;
  readonly caller: Caller;
  /** Throws when the caller may change nothing any more. */
  readonly requireAllowed: (store: Store) => Promise<void>;
}

interface Exchange extends Caused {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function answer({ route, params }: FoundRoute, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, context, caller, requireAllowed } = exchange;
  if (route.browserOnly === true && caller.type !== "user") {
    throw new AdminError("access_denied", ({ refusals }) => refusals.browserOnly);
  }
  const version = route.ifMatch ? parseIfMatch(request.headers["if-match"]) : undefined;
  const { preview, query } = splitPreview(route, request.query as Readonly<Record<string, unknown>>);
  const upload = route.upload === undefined ? undefined : readUpload(route.upload, request);
  const body = upload === undefined ? readJson(request) : undefined;
  const { id: requestId } = request;
  const texts = textsFor(request);
  const call = createCall({ context, caller, requireAllowed, requestId, preview, upload, texts });
  try {
    const result = await route.run({ params, query, body, version }, call);
    if (preview) throw new Error(`${route.path} does not write through call.change.`);
    return send(route, { reply, result });
  } catch (error) {
    if (!(error instanceof PreviewEnd)) throw error;
    return await reply.code(200).header("content-language", texts.language).send({ impact: error.impact });
  }
}

function createCall({
  context,
  caller,
  requireAllowed,
  requestId,
  preview,
  upload,
  texts,
}: Caused & {
  readonly requestId: string;
  readonly preview: boolean;
  readonly upload: Upload | undefined;
  readonly texts: AdminTexts;
}): AdminCall {
  const now = new Date(context.clock());
  const actor =
    caller.type === "user"
      ? ({ type: "user", id: caller.user.id } as const)
      : ({ type: "client", id: caller.clientId } as const);
  const change = createChange({ context, now, actor, requestId, preview, texts, requireAllowed });
  return { context, store: context.store, now, caller, actor, requestId, texts, upload, change };
}

function splitPreview(route: AdminRoute, given: Readonly<Record<string, unknown>>) {
  if (route.preview !== true) return { preview: false, query: given };
  const { preview = "false", ...query } = given;
  if (preview !== "true" && preview !== "false")
    throw fieldError("preview", ({ fields }) => fields.trueOrFalse);
  return { preview: preview === "true", query };
}

function readJson(request: FastifyRequest): unknown {
  const { body } = request;
  if (!(body instanceof Buffer) || body.length === 0) return undefined;
  if (
    !/^application\/json[ \t]*(;[ \t]*charset=utf-8[ \t]*)?$/i.test(request.headers["content-type"] ?? "")
  ) {
    throw new AdminError("unsupported_media_type", ({ refusals }) => refusals.sendJson);
  }
  try {
    return parseStrictJson(body);
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    throw new AdminError("invalid_request", ({ refusals }) => refusals.notJson);
  }
}

function readUpload({ contentTypes, maxBytes }: UploadRules, request: FastifyRequest): Upload {
  const [, contentType = ""] = /^([^ \t;]*)[ \t]*(?:;|$)/.exec(request.headers["content-type"] ?? "") ?? [];
  if (!contentTypes.includes(contentType.toLowerCase())) {
    throw new AdminError("unsupported_media_type", ({ refusals }) => refusals.sendFile(contentTypes));
  }
  if (!(request.body instanceof Buffer) || request.body.length === 0) {
    throw new AdminError("invalid_request", ({ refusals }) => refusals.emptyFile);
  }
  if (request.body.length > maxBytes) throw tooLarge();
  return { contentType: contentType.toLowerCase(), bytes: request.body };
}

async function send(
  route: AdminRoute,
  { reply, result }: { readonly reply: FastifyReply; readonly result: unknown },
): Promise<FastifyReply> {
  if (result instanceof RawAnswer) {
    const { headers, contentType, body } = result;
    // Fastify would read a stream to its end to send nothing of it.
    const isUnread = reply.request.method === "HEAD" && body instanceof Readable;
    if (isUnread) body.destroy();
    return await reply
      .headers(headers)
      .type(contentType)
      .send(isUnread ? Readable.from([]) : body);
  }
  const status = route.status ?? (route.schemas.answer === undefined ? 204 : 200);
  if (hasVersion(result)) void reply.header("etag", formatVersion(result.version));
  void reply.code(status);
  return await (result === undefined ? reply.send() : reply.send(result));
}

function hasVersion(result: unknown): result is { readonly version: number } {
  return (
    typeof result === "object" && result !== null && "version" in result && typeof result.version === "number"
  );
}

type Refusal = FastifyError | AdminError | PagePositionError | OAuthError;

function answerRefusal(error: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
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
    .send(adminErrorBody(refusal, texts));
}

/** What Fastify itself refuses before a route runs. */
function toAdminError(error: Exclude<Refusal, OAuthError>): AdminError | undefined {
  if (error instanceof AdminError) return error;
  if (error instanceof PagePositionError) return invalidCursor();
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return tooLarge();
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AdminError("unsupported_media_type", ({ refusals }) => refusals.sendJson);
    default:
      return undefined;
  }
}

function tooLarge(): AdminError {
  return new AdminError("payload_too_large", ({ refusals }) => refusals.tooLarge);
}
