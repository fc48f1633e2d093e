import { JwsError, parseStrictJson } from "@authz/dpop/jws";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { recordAudit } from "../audit/record.js";
import type { ServerContext } from "../context.js";
import { rawHeaderValues } from "../platform/http/raw-headers.js";
import { RateLimitedError } from "../platform/rate-limits/rate-limiter.js";
import { hashSecret } from "../protocol/secrets.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import { FilterError, toCondition } from "../store/scim-filter.js";
import { shortText } from "../text/short-text.js";
import { type Projection, project, readDocument, readObject, requireSchema } from "./attributes.js";
import {
  type Discovered,
  listResponse,
  maximumResults,
  resourceTypes,
  schemas,
  scimPrefix,
  serviceProviderConfig,
} from "./discovery.js";
import { parseFilter } from "./filter.js";
import { readOperations } from "./patch.js";
import type { Provisioning, StoredResource } from "./provisioning.js";
import { groups, type ResourceKind, users } from "./resources.js";
import { errorBody, refused, ScimError } from "./scim-error.js";
import { BreakGlassError } from "./users.js";

const mediaType = "application/scim+json; charset=utf-8";

/** Room for a group with ten thousand members in the form that names each with its address. */
const maximumBody = 4 * 1024 * 1024;

interface ScimCall {
  readonly provider: IdentityProvider;
  /** The address that those of resources begin with. */
  readonly base: string;
  readonly now: Date;
}

declare module "fastify" {
  interface FastifyRequest {
    scim: ScimCall | undefined;
  }
}

/** Mounts the SCIM server. Every request is that of one provider, and reaches nothing of another one. */
export async function registerScim(app: FastifyInstance, context: ServerContext): Promise<void> {
  await app.register(
    async (scope) => {
      addDoor(scope, context);
      addResources(scope, context, users);
      addResources(scope, context, groups);
      addDiscovery(scope);
      const unsupported = (detail: string) => () => {
        throw new ScimError(501, detail);
      };
      scope.post("/Bulk", unsupported("Bulk requests are not supported. Send one request for each change."));
      scope.route({
        method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
        url: "/Me",
        handler: unsupported("A provider is no User, so there is no /Me."),
      });
      scope.route({
        method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
        url: "/*",
        handler: () => {
          throw new ScimError(404, "There is nothing at this address.");
        },
      });
    },
    { prefix: scimPrefix },
  );
}

/** Limits, the credential, bodies and errors of every route. */
function addDoor(scope: FastifyInstance, context: ServerContext): void {
  const { config, store, rateLimiter, clock } = context;
  scope.decorateRequest("scim", undefined);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    ["application/scim+json", "application/json"],
    { parseAs: "buffer", bodyLimit: maximumBody },
    (_request, body, done) => {
      try {
        done(null, body.length === 0 ? undefined : parseStrictJson(body));
      } catch (error) {
        done(error instanceof JwsError ? unreadable(error) : (error as Error));
      }
    },
  );

  // Before the body is read, so that only a provider can send megabytes.
  scope.addHook("onRequest", async (request) => {
    const now = new Date(clock());
    await rateLimiter.take("scim.address", scope.addressOf(request));
    const provider = await authenticate(request, { store, now });
    await rateLimiter.take("scim.provider", provider.id);
    request.scim = { provider, base: `${config.issuer}${scimPrefix}`, now };
  });

  scope.addHook("preSerialization", async (_request, reply, payload) => {
    void reply.type(mediaType);
    return payload;
  });

  scope.setErrorHandler<FastifyError>(async (error, request, reply) => {
    const answer = toScimError(error);
    const { scim } = request;
    if (scim !== undefined && answer !== undefined) await remember(answer, { request, scim, context });
    if (error instanceof RateLimitedError) void reply.header("retry-after", String(error.retryAfterSeconds));
    // The rest is no fault of the provider: the application logs and answers it.
    if (answer === undefined) throw error;
    request.log.info({ status: answer.status, reason: answer.message }, "refused");
    if (answer.status === 401) void reply.header("www-authenticate", 'Bearer realm="SCIM"');
    return await reply.code(answer.status).type(mediaType).send(errorBody(answer));
  });
}

const unreadableJson: Readonly<Record<string, string>> = {
  duplicate_member: "The body names a member twice.",
  too_deep: "The body is nested too deep.",
};

function unreadable({ reason }: JwsError): ScimError {
  return refused("invalidSyntax", unreadableJson[reason] ?? "The body is not JSON in UTF-8.");
}

/** The provider that the credential belongs to, whether people can sign in there or not. @throws {ScimError} 401 */
async function authenticate(
  request: FastifyRequest,
  { store, now }: { readonly store: ServerContext["store"]; readonly now: Date },
): Promise<IdentityProvider> {
  const refusal = new ScimError(
    401,
    "The credential is not valid. An administrator can create one in the console.",
  );
  const [value = "", ...more] = rawHeaderValues(request, "authorization");
  const [, secret] = /^Bearer +([A-Za-z0-9_-]{43})$/i.exec(value) ?? [];
  if (secret === undefined || more.length > 0) throw refusal;
  const credential = await store.provisioningCredentials.findPresented(hashSecret(secret));
  if (credential === undefined) throw refusal;
  const provider = await store.identityProviders.find(credential.providerId);
  if (provider === undefined) throw refusal;
  await store.provisioningCredentials.use(credential, now);
  return provider;
}

/** What the provider did wrong; `undefined`: it did nothing wrong. */
function toScimError(error: FastifyError | Error): ScimError | undefined {
  if (error instanceof ScimError) return error;
  if (error instanceof FilterError) return refused("invalidFilter", error.message);
  if (error instanceof RateLimitedError) {
    return new ScimError(429, "There were too many requests. Wait as long as Retry-After says.");
  }
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (status === 413) return new ScimError(413, `A body has at most ${maximumBody} bytes.`);
  if (status === 415) return new ScimError(415, "A body is application/scim+json or application/json.");
  if (status !== undefined && status >= 400 && status < 500) {
    return refused("invalidSyntax", "The request cannot be read.");
  }
  return undefined;
}

/** Keeps the last refusal for administrators. A resource that is looked for and not there is none. */
async function remember(
  error: ScimError,
  {
    request,
    scim: { provider, now },
    context: { store },
  }: { readonly request: FastifyRequest; readonly scim: ScimCall; readonly context: ServerContext },
): Promise<void> {
  const { method, id: requestId } = request;
  if (error.status === 404 && method === "GET") return;
  const [whole = ""] = request.url.split("?", 1);
  const path = shortText(whole.slice(scimPrefix.length), 200) ?? "/";
  const detail = shortText(error.message, 500) ?? "";
  await store.provisioningCredentials.fail(provider.id, {
    at: now,
    method,
    path,
    status: error.status,
    detail,
  });
  if (!(error instanceof BreakGlassError)) return;
  const { id: account, userId: subject } = error.user;
  const data = { provider: provider.key, account };
  const actor = { type: "system" } as const;
  await recordAudit(store, {
    type: "user.kept",
    outcome: "denied",
    actor,
    at: now,
    requestId,
    subject,
    data,
  });
}

/** The call of a request that passed the door. */
function callOf({ scim }: FastifyRequest): ScimCall {
  if (scim === undefined) throw new Error("The request has not passed the door of SCIM.");
  return scim;
}

/** The routes of one kind of resource (RFC 7644 §3.2). */
function addResources<Item extends StoredResource>(
  scope: FastifyInstance,
  { store }: ServerContext,
  kind: ResourceKind<Item>,
): void {
  const { path, resource } = kind;
  const one = `/${path}/:id`;
  const idOf = (request: FastifyRequest) => (request.params as { readonly id: string }).id;

  const show = async (items: readonly Item[], { base }: ScimCall, projection: Projection) => {
    const members = wantsMembers(projection);
    const documents = await kind.describe(items, { store, base, members });
    return items.map((item, index) => {
      const meta = {
        resourceType: resource.name,
        created: item.createdAt.toISOString(),
        lastModified: item.updatedAt.toISOString(),
        version: etagOf(item),
        location: `${base}/${path}/${item.id}`,
      };
      const shown = { schemas: [resource.urn], id: item.id, ...documents[index], meta };
      return project(shown, projection, resource.urn);
    });
  };
  const answer = async (item: Item, request: FastifyRequest, reply: FastifyReply) => {
    const call = callOf(request);
    const [shown] = await show([item], call, readProjection(request.query));
    const location = `${call.base}/${path}/${item.id}`;
    return await reply.header("etag", etagOf(item)).header("location", location).send(shown);
  };
  const change = async <Result>(
    request: FastifyRequest,
    work: (provisioning: Provisioning) => Promise<Result>,
  ) => {
    const { provider, now: at } = callOf(request);
    const seen = parseVersions(request.headers["if-match"]);
    // Before anything is stored: what the answer is to contain has to be readable.
    readProjection(request.query);
    return await store.transaction((tx) => work({ provider, store: tx, at, requestId: request.id, seen }));
  };
  const list = async (request: FastifyRequest, query: ListQuery) => {
    const call = callOf(request);
    const condition =
      query.filter === undefined
        ? undefined
        : toCondition(parseFilter(query.filter, resource.urn), kind.columns);
    const { startIndex, count: limit } = query;
    const page = { providerId: call.provider.id, condition, offset: startIndex - 1, limit };
    const { total, items } = await kind.list(store, page);
    return listResponse({ total, startIndex, items: await show(items, call, query) });
  };

  scope.get(`/${path}`, async (request) => await list(request, readListQuery(request.query)));

  scope.post(`/${path}/.search`, async (request) => await list(request, readSearch(request.body)));

  scope.post(`/${path}`, async (request, reply) => {
    const document = readDocument(request.body, resource);
    const item = await change(request, (provisioning) => kind.create(document, provisioning));
    return await answer(item, request, reply.code(201));
  });

  scope.get(one, async (request, reply) => {
    const item = await kind.find(idOf(request), { store, provider: callOf(request).provider });
    const known = parseVersions(request.headers["if-none-match"]);
    if (known !== "any" && known?.includes(item.version) !== true) return await answer(item, request, reply);
    return await reply.code(304).header("etag", etagOf(item)).send();
  });

  scope.put(one, async (request, reply) => {
    const document = readDocument(request.body, resource);
    const item = await change(request, (provisioning) => kind.replace(idOf(request), document, provisioning));
    return await answer(item, request, reply);
  });

  scope.patch(one, async (request, reply) => {
    const operations = readOperations(request.body, resource, idOf(request));
    const item = await change(request, (provisioning) => kind.patch(idOf(request), operations, provisioning));
    const isWanted = kind.answersPatch || readProjection(request.query).attributes.length > 0;
    if (isWanted) return await answer(item, request, reply);
    return await reply.code(204).header("etag", etagOf(item)).send();
  });

  scope.delete(one, async (request, reply) => {
    await change(request, (provisioning) => kind.remove(idOf(request), provisioning));
    return await reply.code(204).send();
  });
}

/** What this server is, for clients to read (RFC 7644 §4). */
function addDiscovery(scope: FastifyInstance): void {
  const requireNoFilter = ({ query }: FastifyRequest) => {
    if ((query as Readonly<Record<string, unknown>>)["filter"] === undefined) return;
    throw new ScimError(403, "There is no filter at this address.");
  };
  scope.get("/ServiceProviderConfig", async (request) => {
    requireNoFilter(request);
    return serviceProviderConfig(callOf(request).base);
  });
  const addList = (path: string, load: (base: string) => readonly Discovered[]) => {
    scope.get(path, async (request) => {
      requireNoFilter(request);
      const items = load(callOf(request).base);
      return listResponse({ total: items.length, startIndex: 1, items });
    });
    scope.get(`${path}/:id`, async (request) => {
      const { id } = request.params as { readonly id: string };
      const found = load(callOf(request).base).find((item) => item.id.toLowerCase() === id.toLowerCase());
      if (found === undefined) throw new ScimError(404, "There is nothing at this address.");
      return found;
    });
  };
  addList("/ResourceTypes", resourceTypes);
  addList("/Schemas", schemas);
}

function etagOf({ version }: Pick<StoredResource, "version">): string {
  return `W/"${version}"`;
}

/** The versions in `If-Match` or `If-None-Match`. A tag that this server never wrote matches none. */
function parseVersions(header: string | undefined): readonly number[] | "any" | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === "*") return "any";
  return header.split(",").map((tag) => Number(/^\s*(?:W\/)?"(\d{1,9})"\s*$/.exec(tag)?.[1] ?? Number.NaN));
}

interface ListQuery extends Projection {
  readonly filter: string | undefined;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
}

/** @throws {ScimError} `invalidValue` */
function readListQuery(query: unknown): ListQuery {
  const values = query as Readonly<Record<string, unknown>>;
  const filter = singleText(values["filter"], "filter");
  const startIndex = readNumber(values["startIndex"], "startIndex");
  const count = readNumber(values["count"], "count");
  return { filter, ...boundedPage(startIndex, count), ...readProjection(query) };
}

/** The body of `.search` (RFC 7644 §3.4.3). @throws {ScimError} `invalidValue`, `invalidSyntax` */
function readSearch(body: unknown): ListQuery {
  const members = readObject(body);
  requireSchema(members.get("schemas"), "urn:ietf:params:scim:api:messages:2.0:SearchRequest");
  const names = (name: string) => {
    const list: unknown = members.get(name.toLowerCase()) ?? [];
    if (Array.isArray(list) && list.every((item) => typeof item === "string")) return boundedNames(list);
    throw refused("invalidValue", `"${name}" has to be a list of names.`);
  };
  return {
    filter: singleText(members.get("filter") ?? undefined, "filter"),
    ...boundedPage(
      readNumber(members.get("startindex"), "startIndex"),
      readNumber(members.get("count"), "count"),
    ),
    ...exclusive({ attributes: names("attributes"), excludedAttributes: names("excludedAttributes") }),
  };
}

/** Less than 1 means 1, and less than 0 means 0 (RFC 7644 §3.4.2.4). */
function boundedPage(startIndex = 1, count = 100) {
  const limits = { startIndex: 10_000_000, count: maximumResults };
  return {
    startIndex: Math.min(Math.max(startIndex, 1), limits.startIndex),
    count: Math.min(Math.max(count, 0), limits.count),
  };
}

function singleText(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw refused("invalidValue", `"${name}" has to be one text.`);
}

function readNumber(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text === "string" && /^-?\d{1,9}$/.test(text)) return Number(text);
  throw refused("invalidValue", `"${name}" has to be a whole number.`);
}

function readProjection(query: unknown): Projection {
  const values = query as Readonly<Record<string, unknown>>;
  const names = (name: string) =>
    boundedNames((singleText(values[name], name) ?? "").split(",").flatMap((part) => part.trim() || []));
  return exclusive({ attributes: names("attributes"), excludedAttributes: names("excludedAttributes") });
}

function exclusive(projection: Projection): Projection {
  if (projection.attributes.length === 0 || projection.excludedAttributes.length === 0) return projection;
  throw refused("invalidValue", 'Send either "attributes" or "excludedAttributes".');
}

function boundedNames(names: readonly string[]): readonly string[] {
  if (names.length > 50) throw refused("invalidValue", "At most 50 attributes can be named.");
  return names;
}

function wantsMembers({ attributes, excludedAttributes }: Projection): boolean {
  const isMembers = (name: string) => /(?:^|:)members(?:\.|$)/i.test(name);
  if (attributes.length > 0) return attributes.some(isMembers);
  return !excludedAttributes.some((name) => /(?:^|:)members$/i.test(name));
}
