import type { FastifyInstance } from "fastify";
import { rawHeaderValues } from "../../http/raw-headers.js";
import type { OauthContext } from "../context.js";
import { readClientId, requireClient } from "../identify-client.js";
import { parseForm, refuseRepeated, requireParameter } from "../parameters.js";
import { paths } from "../vocabulary.js";
import { revokeToken } from "./revoke.js";

/** Mounts the revocation endpoint (RFC 7009). It asks for no proof: whoever holds a token may end it. */
export function registerRevocation(app: FastifyInstance, context: OauthContext): void {
  const { store, keys, issuer } = context;

  app.post(paths.revocation, async (request, reply) => {
    const parameters = parseForm(request.headers["content-type"], request.body as Buffer | undefined);
    refuseRepeated(parameters, ["token", "token_type_hint"]);
    const authorization = rawHeaderValues(request, "authorization");
    const clientId = readClientId({ parameters, authorization });
    const token = requireParameter(parameters, "token");
    const client = requireClient(await store.clients.find(clientId));
    await revokeToken(token, client, { store, keys, issuer, now: context.now(), requestId: request.id });
    return await reply.code(200).send();
  });
}
