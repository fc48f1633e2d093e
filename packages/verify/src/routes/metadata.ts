import { grantTypes } from "../assertion/token-endpoint.js";
import type { Configuration } from "../options/parse-options.js";

/** Paths of the routes, on the service's own origin. */
export const paths = {
  protectedResource: "/.well-known/oauth-protected-resource",
  authorizationServer: "/.well-known/oauth-authorization-server",
  keySet: "/.well-known/jwks.json",
  token: "/oauth/token",
  authorize: "/oauth/authorize",
  skills: "/.well-known/skills",
  skillFiles: "/.well-known/skills/files",
  agentSkills: "/.well-known/agent-skills",
} as const;

/**
 * The path of the resource's metadata: the well-known part goes between host and path.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-3.1 | RFC 9728 §3.1}
 */
export function protectedResourcePath({
  publicOrigin,
  resource,
}: Pick<Configuration, "publicOrigin" | "resource">): string {
  return paths.protectedResource + resource.slice(publicOrigin.length);
}

/**
 * The metadata of the resource. Ordinary clients use the first authorization server, where a person signs in. The second one is
 * this service itself, which exchanges identity assertions.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-2 | RFC 9728 §2}
 */
export function protectedResourceMetadata(configuration: Configuration): object {
  const { issuer, publicOrigin, resource, supportedScopes, dpop, resourceName, skills, statusList } =
    configuration;
  return {
    resource,
    authorization_servers: [issuer, publicOrigin],
    scopes_supported: supportedScopes,
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported: ["ES256"],
    dpop_bound_access_tokens_required: dpop === "required",
    // A name of ours: none is registered for it.
    token_status_list_supported: statusList,
    txn_challenge_jwks_uri: publicOrigin + paths.keySet,
    txn_challenge_signing_alg_values_supported: ["ES256"],
    ...(resourceName !== undefined && { resource_name: resourceName }),
    ...(skills !== undefined && { skills_endpoint: publicOrigin + paths.skills }),
  };
}

/** @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2 | RFC 8414 §2} */
export function authorizationServerMetadata({ publicOrigin, supportedScopes }: Configuration): object {
  return {
    issuer: publicOrigin,
    authorization_endpoint: publicOrigin + paths.authorize,
    token_endpoint: publicOrigin + paths.token,
    jwks_uri: publicOrigin + paths.keySet,
    scopes_supported: supportedScopes,
    response_types_supported: [],
    grant_types_supported: grantTypes,
    authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    dpop_signing_alg_values_supported: ["ES256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}
