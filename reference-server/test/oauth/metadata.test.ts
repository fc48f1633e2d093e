import { expect, test } from "vitest";
import { oauthMetadata } from "../../src/oauth/metadata.js";

test("the metadata names every endpoint below the issuer and nothing that does not work yet", () => {
  const metadata = oauthMetadata("https://auth.example");
  expect(metadata).toMatchObject({
    authorization_endpoint: "https://auth.example/api/oauth/authorize",
    token_endpoint: "https://auth.example/api/oauth/token",
    userinfo_endpoint: "https://auth.example/api/oauth/userinfo",
    end_session_endpoint: "https://auth.example/sign-out",
    code_challenge_methods_supported: ["S256"],
    dpop_signing_alg_values_supported: ["ES256"],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ["openid", "profile", "email", "offline_access", "authz:login"],
  });
});
