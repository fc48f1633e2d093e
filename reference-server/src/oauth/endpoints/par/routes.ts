import type { FastifyInstance } from "fastify";
import { mountFormEndpoint } from "../../clients/routes.js";
import type { OauthContext } from "../../context.js";
import { paths } from "../../../protocol/vocabulary.js";
import { pushAuthorizationRequest } from "./push.js";

/** Mounts the endpoint for pushed authorization requests (RFC 9126). */
export function registerPushedRequests(app: FastifyInstance, context: OauthContext): void {
  const { store, issuer, proofVerifier } = context;
  mountFormEndpoint(app, paths.pushedRequest, async (request) => {
    const dependencies = { store, issuer, proofVerifier, now: context.now() };
    return { status: 201, body: await pushAuthorizationRequest(request, dependencies) };
  });
}
