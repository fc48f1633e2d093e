import { agentsScope } from "../store/system-scopes.js";
import type { Resource } from "../store/resources.js";

/**
 * What agent hosts read about the address for agents before they know anything else.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-2 | RFC 9728 §2}
 */
export function agentsMetadata(
  { resource, authorizationServer, allowsBearer }: Resource,
  installationName: string,
): object {
  return {
    resource,
    authorization_servers: [authorizationServer],
    scopes_supported: [agentsScope],
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported: ["ES256"],
    dpop_bound_access_tokens_required: !allowsBearer,
    resource_name: installationName,
  };
}
