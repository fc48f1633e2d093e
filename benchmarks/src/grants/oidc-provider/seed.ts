import { createHash } from "node:crypto";
import type { Client, Provider } from "oidc-provider";
import { clientId, codeVerifier, redirectUri, scope } from "../load.js";
import { accountId, apiResource } from "./provider.js";

const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");

/** Writes what sign-in and consent would have written, through the library's own models. */
export async function seedLogIn(provider: Provider, jkt: string): Promise<string> {
  const token = new provider.RefreshToken({
    ...(await createLogIn(provider)),
    rotations: 0,
    iiat: Math.floor(Date.now() / 1000),
  });
  token.jkt = jkt;
  return await token.save();
}

export async function seedCode(provider: Provider, dpopJkt: string): Promise<string> {
  const code = new provider.AuthorizationCode({
    ...(await createLogIn(provider)),
    redirectUri,
    codeChallenge,
    codeChallengeMethod: "S256",
    dpopJkt,
  });
  return await code.save();
}

async function createLogIn(provider: Provider) {
  const client = (await provider.Client.find(clientId)) as Client;
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  grant.addResourceScope(apiResource, scope);
  const grantId = await grant.save();
  const authTime = Math.floor(Date.now() / 1000);
  return {
    accountId,
    client,
    grantId,
    gty: "authorization_code",
    scope,
    authTime,
    claims: {},
    resource: apiResource,
  };
}
