import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { ServerContext } from "../../context.js";
import type { IdentifyCaller } from "../../oauth/tokens/identify-caller.js";
import { grantedScopes } from "../../permissions/decide.js";
import { type Permissions, undecidedScopes } from "../../permissions/effective-scopes.js";
import { isUuid } from "../../protocol/parameters.js";
import type { Resource } from "../../store/resources.js";
import { ask, findRequestable } from "../access-requests/ask.js";
import { withdraw } from "../access-requests/decide.js";
import { accessRequestDocument } from "../access-requests/documents.js";
import { explainOwn } from "../explain.js";
import { canExist, findResource, maximumScopes } from "../find.js";
import { installationDocument, type Skills } from "../skills.js";
import { registerConnections } from "./connections/routes.js";
import { ApiRefusal, createDoor, type Door } from "./door.js";

export interface PersonApiOptions {
  readonly context: ServerContext;
  readonly identify: IdentifyCaller;
  readonly skills: Skills;
}

/** The newest ones; administrators see older ones. */
const maximumListed = 100;

const text = z.string().max(2000);
const named = { scopes: z.array(z.string().max(200)).max(maximumScopes).default([]), reason: text };
const accessRequest = {
  schema: z.union([
    z.strictObject({ resource: text, ...named }),
    z.strictObject({ url: text, ...named }),
    z.strictObject({ connector: text, ...named }),
  ]),
  otherwise: `Send a resource, a url or a connector, a reason, and at most ${String(maximumScopes)} scopes.`,
};

/** Mounts what a person's client does for that person: `/api/me` and below. */
export async function registerPersonApi(
  app: FastifyInstance,
  { context, identify, skills }: PersonApiOptions,
): Promise<void> {
  await app.register(async (me) => {
    const door = createDoor(me, { identify, rateLimiter: context.rateLimiter });
    registerProfile(me, door, context);
    registerSkills(me, door, skills);
    registerAccessRequests(me, door, context);
    registerConnections(me, door, context);
  });
}

/** Who the person is, where they may do what, and why. */
function registerProfile(me: FastifyInstance, door: Door, { store }: ServerContext): void {
  me.get(
    "/api/me",
    door({}, async ({ caller: { user, clientId } }) => {
      const { id, email, name } = user;
      const installation = installationDocument(await store.settings.get());
      return { subject: id, email, name, installation, client: { clientId } };
    }),
  );

  me.get(
    "/api/me/resources",
    door({}, async ({ caller: { permissions } }) => {
      // Agents call this server itself at an address of its own; a client has this API.
      const resources = (await store.resources.listEnabled()).filter(({ builtIn }) => !builtIn);
      return { items: resources.map((resource) => resourceDocument(resource, permissions)) };
    }),
  );

  const missing = "There is no service with this key among those you can see.";
  me.get(
    "/api/me/explanation",
    door({ missing }, async ({ caller, request }) => {
      const query = request.query as Readonly<Record<string, unknown>>;
      const [key, ...others] = textsOf(query["resource"]);
      const scopes = textsOf(query["scope"]);
      if (key === undefined || !canExist(key) || others.length > 0 || scopes.length > maximumScopes) {
        const message = `Name one resource by its key, and at most ${String(maximumScopes)} scopes.`;
        throw new ApiRefusal(400, "invalid_request", message);
      }
      const resource = await findResource(key, store);
      return resource?.enabled === true ? await explainOwn({ caller, resource, scopes }, store) : undefined;
    }),
  );
}

function registerSkills(me: FastifyInstance, door: Door, skills: Skills): void {
  me.get(
    "/api/me/skills",
    door({}, async ({ caller }) => await skills.list(caller)),
  );

  me.get(
    "/api/me/skills/:id",
    door<{ id: string }>({}, async ({ caller, params }) => await skills.read(caller, params.id)),
  );

  me.get(
    "/api/me/skills/:id/files/*",
    door<{ id: string; "*": string }>({}, async ({ caller, params: { id, "*": path }, reply }) => {
      const bytes = await skills.file(caller, { id, path });
      // A browser that gets here must not render what a service wrote.
      void reply
        .header("content-type", "application/octet-stream")
        .header("x-content-type-options", "nosniff")
        .header("content-disposition", "attachment");
      return bytes;
    }),
  );
}

/** How the person asks administrators for what they lack. */
function registerAccessRequests(me: FastifyInstance, door: Door, context: ServerContext): void {
  const { store, directories, clock } = context;
  const now = () => new Date(clock());

  me.post(
    "/api/me/access-requests",
    door({ limit: "ask.person", body: accessRequest }, async ({ caller, request, body, reply }) => {
      const { user, clientId, grant } = caller;
      const { scopes, reason, ...target } = body;
      const own = { user, clientId, grantId: grant.id, requestId: request.id };
      const at = await findRequestable(target, store);
      const asked = await ask({ ...own, at, scopes, reason }, { store, directories, now: now() });
      void reply.code(201);
      return { ...accessRequestDocument(asked.request), ...(asked.held.length > 0 && { held: asked.held }) };
    }),
  );

  me.get(
    "/api/me/access-requests",
    door({}, async ({ caller: { user } }) => {
      const requests = await store.accessRequests.listOwn(user.id, maximumListed);
      return { items: requests.map(accessRequestDocument) };
    }),
  );

  const missing = "You have no pending request with this id.";
  me.delete(
    "/api/me/access-requests/:id",
    door<{ id: string }>({ missing }, async ({ caller: { user, clientId }, request, params: { id } }) => {
      const by = { userId: user.id, clientId, requestId: request.id, now: now() };
      const ended = isUuid(id) ? await withdraw({ id, ...by }, store) : undefined;
      return ended && accessRequestDocument(ended);
    }),
  );
}

/** The values of a query parameter that may appear any number of times. */
function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each): each is string => typeof each === "string" && each !== "");
}

/** A resource as the command-line client needs it. */
function resourceDocument(resource: Resource, permissions: Permissions) {
  const undecided = undecidedScopes(permissions);
  const open = resource.supportedScopes.filter((scope) => undecided.has(scope));
  return {
    key: resource.key,
    name: resource.name,
    resource: resource.resource,
    authorizationServer: resource.authorizationServer,
    clientId: resource.clientId,
    requestPrefixes: resource.requestPrefixes,
    supportedScopes: resource.supportedScopes,
    grantedScopes: grantedScopes(permissions, resource),
    ...(open.length > 0 && { undecidedScopes: open }),
  };
}
