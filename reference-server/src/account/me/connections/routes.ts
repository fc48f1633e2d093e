import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { beginAttempt } from "../../../connectors/connect/begin-attempt.js";
import { ConnectError, logRefusal } from "../../../connectors/connect/connect-error.js";
import { disconnect } from "../../../connectors/disconnect/disconnect.js";
import { missingPermissions } from "../../../connectors/connect/requirements.js";
import type { ServerContext } from "../../../context.js";
import { protectedRequestOf } from "../../../platform/http/protected-request.js";
import { isUuid } from "../../../protocol/parameters.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { paths } from "../../../protocol/vocabulary.js";
import type { Connector } from "../../../store/connectors.js";
import type { Caller, IdentifyCaller } from "../../../oauth/tokens/identify-caller.js";
import { connectorRequestMembers } from "../access-requests/request-members.js";
import { sendRefusal } from "../routes.js";
import { attemptDocument, connectionDocument, describeFailure } from "./documents.js";

export interface ConnectionRoutesOptions {
  readonly context: Pick<
    ServerContext,
    "config" | "store" | "connectorVault" | "connectorProvider" | "rateLimiter" | "clock" | "log"
  >;
  readonly identify: IdentifyCaller;
}

interface KeyParams {
  readonly key: string;
}

/** The body may be missing: then what is asked for by default is asked for. */
const attemptSchema = z.strictObject({ scopes: z.array(z.string()).max(100).optional() });

/** Mounts what a person's client does with the person's connections: see them, begin one, end one. */
export async function registerConnections(
  app: FastifyInstance,
  { context, identify: identifyCaller }: ConnectionRoutesOptions,
): Promise<void> {
  const {
    config,
    store,
    connectorVault: vault,
    connectorProvider: provider,
    rateLimiter,
    clock,
    log,
  } = context;
  const now = () => new Date(clock());
  const identify = (request: FastifyRequest) => identifyCaller(protectedRequestOf(request));

  /** An enabled connector, or one that is switched off and that this person has still connected. */
  async function findOwn(key: string, { user }: Caller) {
    const connector = key.includes("\0") ? undefined : await store.connectors.findByKey(key);
    if (connector === undefined) return undefined;
    const own = { userId: user.id, connectorId: connector.id };
    const connection = await store.connections.findOwn(own);
    return connector.enabled || connection !== undefined ? { connector, connection } : undefined;
  }

  await app.register(async (me) => {
    me.setErrorHandler((error, _request, reply) => {
      if (!(error instanceof OAuthError)) throw error;
      return sendRefusal(reply, error);
    });

    me.get("/api/me/connections", async (request) => {
      const { user, permissions } = await identify(request);
      const own = await store.connections.listOwn(user.id);
      const connectors = await store.connectors.listEnabled();
      const items = connectors.map((connector) => {
        const connection = own.find(({ connectorId }) => connectorId === connector.id);
        return connectionDocument(connector, connection, permissions);
      });
      return { items };
    });

    me.get<{ Params: KeyParams }>("/api/me/connections/:key", async (request, reply) => {
      const caller = await identify(request);
      const found = await findOwn(request.params.key, caller);
      if (found === undefined) return sendNotFound(reply);
      const { connector, connection } = found;
      const { permissions } = caller;
      const members = await connectorRequestMembers(connector, { caller, permissions }, store);
      return { ...connectionDocument(connector, connection, permissions), ...members };
    });

    me.delete<{ Params: KeyParams }>("/api/me/connections/:key", async (request, reply) => {
      const caller = await identify(request);
      const found = await findOwn(request.params.key, caller);
      if (found === undefined) return sendNotFound(reply);
      const { connector, connection } = found;
      const { clientId, user } = caller;
      const actor = { type: "user", id: user.id } as const;
      const by = { actor, clientId, requestId: request.id };
      const dependencies = { store, vault, provider, clock, log };
      const revocation = connection && (await disconnect({ connectionId: connection.id, by }, dependencies));
      if (revocation !== undefined) return { revocation };
      // Somebody else is at it: then it is not gone yet.
      const left = await findOwn(connector.key, caller);
      if (left?.connection !== undefined) return sendFailure(reply, { code: "disconnecting", connector });
      const description = `You have not connected an account at ${connector.name}.`;
      return reply.code(404).send({ error: "not_connected", error_description: description });
    });

    me.post<{ Params: KeyParams }>("/api/me/connections/:key/attempts", async (request, reply) => {
      const caller = await identify(request);
      const found = await findOwn(request.params.key, caller);
      if (found?.connector.enabled !== true) return sendNotFound(reply);
      const { connector } = found;
      await rateLimiter.take("connect.person", caller.user.id);
      const wish = readWish(request.body, connector);
      const { clientId, permissions } = caller;
      try {
        const attempt = { connector, permissions, clientId, ...wish };
        const { id, expiresAt } = await beginAttempt(attempt, { store, vault, now: now() });
        const url = `${config.issuer}${paths.connections}/${id}`;
        return await reply.code(201).send({ id, url, expiresAt: expiresAt.toISOString() });
      } catch (error) {
        if (!(error instanceof ConnectError)) throw error;
        const { code } = error;
        logRefusal(error, { connector, log: request.log });
        const scopes = missingPermissions(connector, permissions);
        return sendFailure(reply, { code, connector, scopes });
      }
    });

    me.get<{ Params: KeyParams & { readonly id: string } }>(
      "/api/me/connections/:key/attempts/:id",
      async (request, reply) => {
        const caller = await identify(request);
        const { key, id } = request.params;
        const found = await findOwn(key, caller);
        const own = { id, userId: caller.user.id };
        const attempt = isUuid(id) ? await store.connectionAttempts.find(own) : undefined;
        if (found === undefined || attempt?.connectorId !== found.connector.id) {
          const description = "You have no attempt with this id.";
          return reply.code(404).send({ error: "not_found", error_description: description });
        }
        return attemptDocument(attempt, found.connector, now());
      },
    );
  });
}

/** @throws {OAuthError} */
function readWish(
  body: unknown,
  { scopes: offered }: Connector,
): { readonly scopes: readonly string[] | undefined } {
  const parsed = attemptSchema.safeParse(body ?? {});
  if (!parsed.success) {
    const message = "The body must be left out, or be a JSON object with only scopes, a list of strings.";
    throw new OAuthError("invalid_request", "malformed_body", message);
  }
  const { scopes } = parsed.data;
  if (scopes?.every((wanted) => offered.some(({ scope }) => scope === wanted)) === false) {
    const message = "A scope is not among those that this connector offers. GET the connection to see them.";
    throw new OAuthError("invalid_scope", "scope_not_offered", message);
  }
  return { scopes };
}

function sendNotFound(reply: FastifyReply): FastifyReply {
  const description = "There is no connector with this key, or it is disabled.";
  return reply.code(404).send({ error: "not_found", error_description: description });
}

const statuses: Readonly<Record<string, number>> = {
  insufficient_scope: 403,
  not_found: 404,
  disconnecting: 409,
  connector_key_unavailable: 503,
};

function sendFailure(
  reply: FastifyReply,
  {
    code,
    connector,
    scopes = [],
  }: {
    readonly code: ConnectError["code"];
    readonly connector: Connector;
    /** Those that are missing. */
    readonly scopes?: readonly string[];
  },
): FastifyReply {
  return reply.code(statuses[code] ?? 400).send({
    error: code,
    error_description: describeFailure(code, connector),
    ...(code === "insufficient_scope" && { scope: scopes.join(" ") }),
  });
}
