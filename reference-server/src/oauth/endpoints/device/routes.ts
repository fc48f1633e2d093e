import type { FastifyInstance } from "fastify";
import { mountFormEndpoint } from "../../clients/routes.js";
import type { OauthContext } from "../../context.js";
import { paths } from "../../../protocol/vocabulary.js";
import { authorizeDevice } from "./authorize-device.js";

/** Mounts the endpoint where devices without a browser begin (RFC 8628 §3.1). */
export function registerDeviceAuthorization(app: FastifyInstance, context: OauthContext): void {
  const { store, issuer, proofVerifier } = context;
  const { sessionSecret } = context.config;
  mountFormEndpoint(app, paths.deviceAuthorization, async (request) => {
    const dependencies = { store, issuer, proofVerifier, sessionSecret, now: context.now() };
    return { body: await authorizeDevice(request, dependencies) };
  });
}
