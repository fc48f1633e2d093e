import { createHash } from "node:crypto";
import type { Client, Provider } from "oidc-provider";
import { codeVerifier, redirectUri, scope } from "../load.js";
import { apiResource } from "./provider.js";

const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");

/** Who signed in with which client, and the key of the device. */
export interface LogIn {
  readonly jkt: string;
  readonly clientId: string;
  readonly accountId: string;
}

/** Writes what sign-in and consent would have written, through the library's own models. */
export async function seedLogIn(provider: Provider, logIn: LogIn): Promise<string> {
  const token = new provider.RefreshToken({
    ...(await createLogIn(provider, logIn)),
    rotations: 0,
    iiat: Math.floor(Date.now() / 1000),
  });
  token.jkt = logIn.jkt;
  return await token.save();
}

export async function seedCode(provider: Provider, logIn: LogIn): Promise<string> {
  const code = new provider.AuthorizationCode({
    ...(await createLogIn(provider, logIn)),
    redirectUri,
    codeChallenge,
    codeChallengeMethod: "S256",
    dpopJkt: logIn.jkt,
  });
  return await code.save();
}

async function createLogIn(provider: Provider, { accountId, clientId }: LogIn) {
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
