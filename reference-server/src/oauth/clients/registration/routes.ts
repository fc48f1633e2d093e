import type { FastifyInstance } from "fastify";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { paths } from "../../../protocol/vocabulary.js";
import type { OauthContext } from "../../context.js";
import { readRegistration } from "./read-registration.js";
import { registerClient } from "./register-client.js";

/** As for a metadata document, which says the same. */
const largestBody = 5 * 1024;
const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

/** Mounts the registration endpoint (RFC 7591 §3). While it is switched off there is nothing at its address. */
export function registerRegistration(app: FastifyInstance, oauth: OauthContext): void {
  const { store } = oauth;
  app.post(paths.registration, { bodyLimit: largestBody }, async (request, reply) => {
    if (!(await store.settings.get()).dynamicRegistration) return reply.callNotFound();
    if (!jsonType.test(request.headers["content-type"] ?? "")) {
      const message = "The body must be sent as application/json.";
      throw new OAuthError("invalid_client_metadata", "content_type", message);
    }
    const registration = readRegistration((request.body as Buffer | undefined) ?? new Uint8Array());
    const registered = await registerClient(registration, {
      store,
      refusals: oauth.refusals.from(app.addressOf(request)),
      at: oauth.now(),
      requestId: request.id,
    });
    if (registered === undefined) return reply.callNotFound();
    return await reply.code(201).send(registered);
  });
}
