import type { FastifyInstance } from "fastify";
import { authenticateClient } from "../../clients/authenticate.js";
import { readClientCredentials } from "../../clients/credentials.js";
import { mountFormEndpoint } from "../../clients/routes.js";
import type { OauthContext } from "../../context.js";
import { refuseRepeated, requireParameter } from "../../../protocol/parameters.js";
import { paths } from "../../../protocol/vocabulary.js";
import { revokeToken } from "./revoke.js";

/** Mounts the revocation endpoint (RFC 7009). It asks for no proof: whoever holds a token may end it. */
export function registerRevocation(app: FastifyInstance, context: OauthContext): void {
  const { store, keys, issuer } = context;

  mountFormEndpoint(app, paths.revocation, async (request) => {
    const { parameters, requestId } = request;
    refuseRepeated(parameters, ["token", "token_type_hint"]);
    const credentials = readClientCredentials(request);
    const token = requireParameter(parameters, "token");
    const now = context.now();
    const found = await store.clients.find(credentials.clientId);
    const authenticated = authenticateClient(found, credentials, { issuer, now });
    await revokeToken(token, authenticated, { store, keys, issuer, now, requestId });
    return {};
  });
}
