import { canonicalResource } from "@authz/dpop/jwt";
import { OAuthError } from "../protocol/oauth-error.js";
import type { Parameters } from "../protocol/parameters.js";
import type { Client } from "../store/clients.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";

/**
 * The service that a request names with `resource` (RFC 8707 §2); `undefined`: it asks for this server's own API.
 *
 * Only clients that an administrator registered may do without: a token for our own API can be exchanged for assertions for
 * every service.
 *
 * @throws {OAuthError} `invalid_target`.
 */
export async function findRequestedResource(
  parameters: Parameters,
  client: Pick<Client, "source">,
  store: Pick<Store, "resources">,
): Promise<Resource | undefined> {
  const identifier = readResource(parameters);
  if (identifier === undefined) {
    if (client.source === "registered") return undefined;
    const message =
      "Name the service that the token is for with resource. An app that signs people in to itself has to be registered by an administrator.";
    throw invalidTarget("resource_missing", message);
  }
  const resource = await store.resources.findByIdentifier(identifier);
  if (resource === undefined || !resource.enabled) throw unknownTarget(resource);
  return resource;
}

/**
 * The one `resource` of a request, in canonical form.
 *
 * @throws {OAuthError} `invalid_target`: more than one, or no identifier at all.
 */
export function readResource(parameters: Parameters): string | undefined {
  if (parameters.repeated.has("resource")) {
    throw invalidTarget("several_resources", "A token is for one service. Name one resource.");
  }
  const given = parameters.get("resource");
  if (given === undefined) return undefined;
  const identifier = canonicalResource(given);
  if (identifier !== undefined) return identifier;
  throw invalidTarget(
    "malformed_resource",
    "The resource must be an absolute URL without query and fragment.",
  );
}

/** The refusal of a service that is not registered here, or disabled. */
export function unknownTarget(resource: Resource | undefined): OAuthError {
  return invalidTarget(
    resource === undefined ? "unknown_resource" : "resource_disabled",
    "The resource is not a service that is registered here. Compare it with the resource in the service's metadata.",
  );
}

/** The refusal at the token endpoint of another service than the one that was allowed. */
export function otherTarget(): OAuthError {
  return invalidTarget(
    "other_resource",
    "The resource is not the one that was allowed. Leave it out, or ask again.",
  );
}

function invalidTarget(reason: string, message: string): OAuthError {
  return new OAuthError("invalid_target", reason, message);
}
