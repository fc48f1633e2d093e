import { loginScope } from "../../store/system-scopes.js";
import type { ServerMetadata } from "./metadata.js";
import { clientScopes, grantProfiles, grantTypes, paths, tokenTypes } from "../../protocol/vocabulary.js";

/** What the OAuth endpoints add to the metadata document; only what works (RFC 8414, OpenID Connect Discovery). */
export function oauthMetadata(issuer: string): ServerMetadata {
  return {
    authorization_endpoint: `${issuer}${paths.authorize}`,
    pushed_authorization_request_endpoint: `${issuer}${paths.pushedRequest}`,
    device_authorization_endpoint: `${issuer}${paths.deviceAuthorization}`,
    token_endpoint: `${issuer}${paths.token}`,
    revocation_endpoint: `${issuer}${paths.revocation}`,
    userinfo_endpoint: `${issuer}${paths.userinfo}`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: Object.values(grantTypes),
    authorization_grant_profiles_supported: grantProfiles,
    code_challenge_methods_supported: ["S256"],
    dpop_signing_alg_values_supported: ["ES256"],
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    token_endpoint_auth_signing_alg_values_supported: ["ES256"],
    revocation_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    revocation_endpoint_auth_signing_alg_values_supported: ["ES256"],
    authorization_response_iss_parameter_supported: true,
    identity_chaining_requested_token_types_supported: [tokenTypes.identityAssertion],
    // What any client may ask for: hosts ask for all of it.
    scopes_supported: clientScopes.filter((scope) => scope !== loginScope),
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
    claims_supported: [
      "iss",
      "sub",
      "aud",
      "exp",
      "iat",
      "auth_time",
      "amr",
      "nonce",
      "sid",
      "email",
      "email_verified",
      "name",
    ],
  };
}
