import type { Client } from "../store/clients.js";
import type { Store } from "../store/store.js";
import { OAuthError } from "./oauth-error.js";
import { type Parameters, refuseRepeated } from "./parameters.js";

/**
 * The client that sends a form, public as all are so far.
 *
 * @throws {OAuthError} `invalid_request` or `invalid_client`.
 */
export async function identifyClient(
  request: { readonly parameters: Parameters; readonly authorization: readonly string[] },
  store: Pick<Store, "clients">,
): Promise<Client> {
  const { parameters, authorization } = request;
  refuseRepeated(parameters, ["client_id", "client_secret", "client_assertion"]);
  const unsupported = ["client_secret", "client_assertion"].some(
    (name) => parameters.get(name) !== undefined,
  );
  if (authorization.length > 0 || unsupported) {
    throw new OAuthError(
      "invalid_client",
      "client_authentication",
      "A public client sends client_id and no secret.",
    );
  }
  const id = parameters.get("client_id");
  const client = id === undefined ? undefined : await store.clients.find(id);
  if (client === undefined || !client.enabled) {
    throw new OAuthError(
      "invalid_client",
      "unknown_client",
      "The client_id names no client that is registered here.",
    );
  }
  return client;
}
