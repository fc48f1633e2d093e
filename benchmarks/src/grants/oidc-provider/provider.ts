import { randomBytes } from "node:crypto";
import type { PrivateJwk } from "@authz/dpop";
import { type AdapterFactory, type Configuration, Provider } from "oidc-provider";
import { clientIds, redirectUri } from "../load.js";

export const apiResource = "http://127.0.0.1:3101/api";

/**
 * oidc-provider doing what ours does with a refresh and a code: DPoP with replay detection, a rotated refresh token,
 * a JWT access token (not stored) and an ID token, both ES256.
 */
export function createProvider(issuer: string, privateJwk: PrivateJwk, adapter: AdapterFactory): Provider {
  return new Provider(issuer, {
    adapter,
    clients: clientIds.map((clientId) => ({
      client_id: clientId,
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      redirect_uris: [redirectUri],
      dpop_bound_access_tokens: true,
      id_token_signed_response_alg: "ES256",
    })),
    jwks: { keys: [{ ...privateJwk, alg: "ES256", use: "sig", kid: "benchmark" }] },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"], dPoPSigningAlgValues: ["ES256"] },
    cookies: { keys: [randomBytes(32).toString("base64url")] },
    scopes: ["openid", "profile", "email", "offline_access"],
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: "Ada Lovelace", email: "ada@acme.example", email_verified: true }),
    }),
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => false, allowReplay: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => apiResource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "openid profile email offline_access",
          audience: apiResource,
          accessTokenFormat: "jwt",
          accessTokenTTL: 300,
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 600,
      Grant: 90 * 24 * 3600,
      IdToken: 300,
      RefreshToken: 30 * 24 * 3600,
    },
  } satisfies Configuration);
}
