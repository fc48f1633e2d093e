import type { Client } from "../store/clients.js";
import { OAuthError } from "./oauth-error.js";
import { type Parameters, refuseRepeated } from "./parameters.js";

/**
 * The `client_id` of a form; public clients, as all are so far, have nothing to prove it with.
 *
 * @throws {OAuthError} `invalid_request` or `invalid_client`.
 */
export function readClientId(request: {
  readonly parameters: Parameters;
  /** Every `Authorization` header. */
  readonly authorization: readonly string[];
}): string {
  const { parameters, authorization } = request;
  refuseRepeated(parameters, ["client_id", "client_secret", "client_assertion"]);
  const secret = ["client_secret", "client_assertion"].some((name) => parameters.get(name) !== undefined);
  if (authorization.length > 0 || secret) {
    throw new OAuthError(
      "invalid_client",
      "client_authentication",
      "A public client sends client_id and no secret.",
    );
  }
  const id = parameters.get("client_id");
  return id ?? requireClient(undefined).id;
}

/** @throws {OAuthError} `invalid_client`: there is no such client, or it is disabled. */
export function requireClient(client: Client | undefined): Client {
  if (client === undefined || !client.enabled) {
    throw new OAuthError(
      "invalid_client",
      "unknown_client",
      "The client_id names no client that is registered here.",
    );
  }
  return client;
}
