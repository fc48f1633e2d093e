import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { beginAttempt } from "../../../connectors/connect/begin-attempt.js";
import {
  ConnectError,
  type ConnectErrorCode,
  logRefusal,
} from "../../../connectors/connect/connect-error.js";
import { missingPermissions } from "../../../connectors/connect/requirements.js";
import { disconnect } from "../../../connectors/disconnect/disconnect.js";
import type { ServerContext } from "../../../context.js";
import { isUuid } from "../../../protocol/parameters.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { paths } from "../../../protocol/vocabulary.js";
import type { Connector } from "../../../store/connectors.js";
import { connectorRequestMembers } from "../../access-requests/documents.js";
import {
  attemptDocument,
  connectionDocument,
  describeFailure,
  findConnection,
  listConnections,
} from "../../connections.js";
import { ApiRefusal, type Door } from "../door.js";

interface KeyParams {
  readonly key: string;
}

/** Without a body the scopes that the connector asks for by default are asked for. */
const attemptSchema = z.strictObject({ scopes: z.array(z.string()).max(100).optional() });

const missing = "There is no connector with this key, or it is disabled.";

/** Mounts what a person's client does with the person's connections: see them, begin one, end one. */
export function registerConnections(me: FastifyInstance, door: Door, context: ServerContext): void {
  const { config, store, connectorVault: vault, connectorProvider: provider } = context;
  const { rateLimiter, clock, log } = context;
  const now = () => new Date(clock());

  me.get(
    "/api/me/connections",
    door({}, async ({ caller }) => ({ items: await listConnections(caller, store) })),
  );

  me.get(
    "/api/me/connections/:key",
    door<KeyParams>({ missing }, async ({ caller, params }) => {
      const found = await findConnection(params.key, caller, store);
      if (found === undefined) return undefined;
      const { connector, connection } = found;
      const members = await connectorRequestMembers(connector, caller, store);
      return { ...connectionDocument(connector, connection, caller.permissions), ...members };
    }),
  );

  me.delete(
    "/api/me/connections/:key",
    door<KeyParams>({ missing }, async ({ caller, request, params }) => {
      const found = await findConnection(params.key, caller, store);
      if (found === undefined) return undefined;
      const { connector, connection } = found;
      const actor = { type: "user", id: caller.user.id } as const;
      const by = { actor, clientId: caller.clientId, requestId: request.id };
      const dependencies = { store, vault, provider, clock, log };
      const revocation = connection && (await disconnect({ connectionId: connection.id, by }, dependencies));
      if (revocation !== undefined) return { revocation };
      // Another process is disconnecting it, and it is not gone yet.
      const left = await findConnection(connector.key, caller, store);
      if (left?.connection !== undefined) throw connectRefusal("disconnecting", connector);
      throw new ApiRefusal(404, "not_connected", `You have not connected an account at ${connector.name}.`);
    }),
  );

  me.post(
    "/api/me/connections/:key/attempts",
    door<KeyParams>({ missing }, async ({ caller, request, reply, params }) => {
      const found = await findConnection(params.key, caller, store);
      if (found?.connector.enabled !== true) return undefined;
      const { connector } = found;
      await rateLimiter.take("connect.person", caller.user.id);
      const scopes = readScopes(request.body, connector);
      const { clientId, permissions } = caller;
      try {
        const attempt = { connector, permissions, clientId, scopes };
        const { id, expiresAt } = await beginAttempt(attempt, { store, vault, now: now() });
        void reply.code(201);
        const url = `${config.issuer}${paths.connections}/${id}`;
        return { id, url, expiresAt: expiresAt.toISOString() };
      } catch (error) {
        if (!(error instanceof ConnectError)) throw error;
        logRefusal(error, { connector, log: request.log });
        const lacks = missingPermissions(connector, permissions).join(" ");
        throw connectRefusal(error.code, connector, error.code === "insufficient_scope" && { scope: lacks });
      }
    }),
  );

  me.get(
    "/api/me/connections/:key/attempts/:id",
    door<KeyParams & { readonly id: string }>(
      { missing: "You have no attempt with this id." },
      async ({ caller, params: { key, id } }) => {
        const found = await findConnection(key, caller, store);
        const own = { id, userId: caller.user.id };
        const attempt = isUuid(id) ? await store.connectionAttempts.find(own) : undefined;
        if (found === undefined || attempt?.connectorId !== found.connector.id) return undefined;
        return attemptDocument(attempt, found.connector, now());
      },
    ),
  );
}

/** @throws {OAuthError} */
function readScopes(body: unknown, { scopes: offered }: Connector): readonly string[] | undefined {
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
  return scopes;
}

const statuses: Readonly<Partial<Record<ConnectErrorCode, number>>> = {
  insufficient_scope: 403,
  not_found: 404,
  disconnecting: 409,
  connector_key_unavailable: 503,
};

function connectRefusal(
  code: ConnectErrorCode,
  connector: Connector,
  details: object | false = {},
): ApiRefusal {
  return new ApiRefusal(statuses[code] ?? 400, code, describeFailure(code, connector), details || {});
}
