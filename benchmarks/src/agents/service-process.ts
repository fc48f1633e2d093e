/** A service that is built with the SDK; the same bytes are also there without a token, as a third party would give them. */
import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { answerQuestions } from "../child-process.js";

function give(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { count } = request.params as { count: string };
  return reply.type("text/plain").send("a".repeat(Number(count)));
}

interface Settings {
  readonly port: number;
  readonly issuer: string;
  readonly scope: string;
  /** Where the issuer's metadata, keys and status list are fetched. Default: at the issuer. */
  readonly discoveryProxyOrigin?: string;
}

answerQuestions(async ({ port, issuer, scope, discoveryProxyOrigin }: Settings) => {
  const origin = `http://127.0.0.1:${port}`;
  const authz = initAuthz(issuer, {
    resource: origin,
    publicOrigin: origin,
    clientId: "authz-cli",
    supportedScopes: [scope],
    signingKey: { kid: "service", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    allowInsecureLoopback: true,
    ...(discoveryProxyOrigin !== undefined && { discoveryProxyOrigin }),
  });
  const service = fastify();
  authz.registerRoutes(service);
  service.get("/v1/bytes/:count", give);
  service.get("/protected/bytes/:count", { onRequest: authz.requireAuth({ scopes: [scope] }) }, give);
  await service.listen({ port, host: "127.0.0.1" });
  return null;
});
