import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { ask } from "../../../access-requests/ask.js";
import type { WantedTarget } from "../../../access-requests/target.js";
import { AskError, type AskProblem } from "../../../access-requests/ask-error.js";
import { withdraw } from "../../../access-requests/withdraw.js";
import type { ServerContext } from "../../../context.js";
import type { IdentifyCaller } from "../../../oauth/tokens/identify-caller.js";
import { protectedRequestOf } from "../../../platform/http/protected-request.js";
import { isUuid } from "../../../protocol/parameters.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { resourceAt } from "../../../permissions/resource-at.js";
import type { Store } from "../../../store/store.js";
import { sendRefusal } from "../routes.js";
import { accessRequestDocument } from "./documents.js";

export interface AccessRequestRoutesOptions {
  readonly context: Pick<ServerContext, "store" | "directories" | "rateLimiter" | "clock">;
  readonly identify: IdentifyCaller;
}

/** More than a service has. */
const mostScopes = 50;
/** The newest ones; who needs older ones asks an administrator. */
const mostListed = 100;

const text = z.string().max(2000);
const named = { scopes: z.array(z.string().max(200)).max(mostScopes).default([]), reason: text };
const wishSchema = z.union([
  z.strictObject({ resource: text, ...named }),
  z.strictObject({ url: text, ...named }),
  z.strictObject({ connector: text, ...named }),
]);

const statuses: Readonly<Record<AskProblem, number>> = {
  unknown_target: 404,
  unknown_scope: 400,
  invalid_reason: 400,
  nothing_missing: 409,
  cannot_be_given: 409,
  too_many_requests: 409,
};

/** Mounts how a person's client asks administrators for what the person lacks: `/api/me/access-requests`. */
export async function registerAccessRequests(
  app: FastifyInstance,
  { context, identify: identifyCaller }: AccessRequestRoutesOptions,
): Promise<void> {
  const { store, directories, rateLimiter, clock } = context;
  const identify = (request: FastifyRequest) => identifyCaller(protectedRequestOf(request));

  await app.register(async (me) => {
    me.setErrorHandler((error, _request, reply) => {
      if (error instanceof AskError) {
        const { code, message, scopes } = error;
        const about = scopes.length > 0 && { scopes };
        return reply.code(statuses[code]).send({ error: code, error_description: message, ...about });
      }
      if (!(error instanceof OAuthError)) throw error;
      return sendRefusal(reply, error);
    });

    me.post("/api/me/access-requests", async (request, reply) => {
      const { user, clientId, grant } = await identify(request);
      await rateLimiter.take("ask.person", user.id);
      const { success, data: wish } = wishSchema.safeParse(request.body);
      if (!success) {
        const description = `Send a resource, a url or a connector, a reason, and at most ${String(mostScopes)} scopes.`;
        return reply.code(400).send({ error: "invalid_request", error_description: description });
      }
      const { scopes, reason } = wish;
      const own = { user, clientId, grantId: grant.id, requestId: request.id };
      const wanted = await findWanted(wish, store);
      const sources = { store, directories, now: new Date(clock()) };
      const asked = await ask({ ...own, wanted, scopes, reason }, sources);
      const held = asked.held.length > 0 && { held: asked.held };
      return await reply.code(201).send({ ...accessRequestDocument(asked.request), ...held });
    });

    me.get("/api/me/access-requests", async (request) => {
      const { user } = await identify(request);
      const requests = await store.accessRequests.listOwn(user.id, mostListed);
      return { items: requests.map(accessRequestDocument) };
    });

    me.delete<{ Params: { readonly id: string } }>("/api/me/access-requests/:id", async (request, reply) => {
      const { user, clientId } = await identify(request);
      const { id } = request.params;
      const by = { userId: user.id, clientId, requestId: request.id, now: new Date(clock()) };
      const ended = isUuid(id) ? await withdraw({ id, ...by }, store) : undefined;
      if (ended !== undefined) return accessRequestDocument(ended);
      return sendNotFound(reply);
    });
  });
}

async function findWanted(
  wish: z.infer<typeof wishSchema>,
  store: Pick<Store, "connectors" | "resources">,
): Promise<WantedTarget> {
  const isKey = (key: string) => !key.includes("\0");
  if ("connector" in wish) {
    const { connector: key } = wish;
    return { connector: isKey(key) ? await store.connectors.findByKey(key) : undefined };
  }
  if ("resource" in wish) {
    const { resource: key } = wish;
    return { resource: isKey(key) ? await store.resources.findByKey(key) : undefined };
  }
  if (!isKey(wish.url) || !URL.canParse(wish.url)) return { resource: undefined };
  return { resource: resourceAt(new URL(wish.url), await store.resources.listEnabled()) };
}

function sendNotFound(reply: FastifyReply): FastifyReply {
  const description = "You have no pending request with this id.";
  return reply.code(404).send({ error: "not_found", error_description: description });
}
