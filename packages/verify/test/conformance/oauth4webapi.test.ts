import { webcrypto } from "node:crypto";
import { type Authz, initAuthz, requestFromFetch, responseToFetch } from "@authz/verify";
import { createRemoteJWKSet, customFetch as joseFetch, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test } from "vitest";
import { signDraft } from "../support/jwt.js";
import {
  assertionDraft,
  baseOptions,
  issuer,
  issuerFetch,
  jwtBearer,
  publicOrigin,
  resource,
} from "../support/world.js";

/** The service as another implementation of the standards sees it: Fetch in, Fetch out. */
let authz: Authz;
let serve: (url: string, init: object) => Promise<Response>;
let keyPair: Awaited<ReturnType<typeof oauth.generateKeyPair>>;
let server: oauth.AuthorizationServer;

const client: oauth.Client = { client_id: "authz-cli" };

beforeAll(async () => {
  authz = initAuthz(issuer, { ...baseOptions(), fetch: issuerFetch() });
  serve = async (url, init) => {
    const request = new Request(url, init);
    const answer = await authz.handleFetch(request);
    if (answer !== undefined) return answer;
    const decision = await authz.decide(requestFromFetch(request), { scopes: ["contracts:read"] });
    if (decision.refusal) return responseToFetch(decision.refusal);
    return Response.json({ requested_by: decision.auth.identity.subject });
  };
  keyPair = await oauth.generateKeyPair("ES256");
  const url = new URL(publicOrigin);
  const discovery = await oauth.discoveryRequest(url, { algorithm: "oauth2", [oauth.customFetch]: serve });
  server = await oauth.processDiscoveryResponse(url, discovery);
});

async function assertionFor(key: webcrypto.CryptoKey): Promise<string> {
  const jwk = (await webcrypto.subtle.exportKey("jwk", key)) as { x: string; y: string };
  const { jwkThumbprint } = await import("@authz/dpop");
  const draft = assertionDraft(Math.floor(Date.now() / 1000));
  draft.claims["cnf"] = { jkt: jwkThumbprint({ kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y }) };
  return signDraft(draft);
}

async function obtainToken(): Promise<oauth.TokenEndpointResponse> {
  const DPoP = oauth.DPoP(client, keyPair);
  const response = await oauth.genericTokenEndpointRequest(
    server,
    client,
    oauth.None(),
    jwtBearer,
    { assertion: await assertionFor(keyPair.publicKey), scope: "contracts:read" },
    { DPoP, [oauth.customFetch]: serve },
  );
  return oauth.processGenericTokenEndpointResponse(server, client, response);
}

describe("oauth4webapi as the client", () => {
  test("discovers the service as an authorization server", () => {
    expect(server.issuer).toBe(publicOrigin);
    expect(server.token_endpoint).toBe(`${publicOrigin}/oauth/token`);
  });

  test("discovers the protected resource", async () => {
    const url = new URL(resource);
    const response = await oauth.resourceDiscoveryRequest(url, { [oauth.customFetch]: serve });
    const metadata = await oauth.processResourceDiscoveryResponse(url, response);
    expect(metadata.authorization_servers).toEqual([issuer, publicOrigin]);
  });

  test("obtains a token and calls a protected route with it", async () => {
    const token = await obtainToken();
    expect(token).toMatchObject({ token_type: "dpop", scope: "contracts:read", expires_in: 600 });
    const response = await oauth.protectedResourceRequest(
      token.access_token,
      "GET",
      new URL(`${publicOrigin}/api/contracts`),
      undefined,
      undefined,
      { DPoP: oauth.DPoP(client, keyPair), [oauth.customFetch]: serve },
    );
    expect(await response.json()).toEqual({ requested_by: "user-1" });
  });

  test("reads the challenge of a refused request", async () => {
    const token = await obtainToken();
    const attempt = oauth.protectedResourceRequest(
      `${token.access_token}x`,
      "GET",
      new URL(`${publicOrigin}/api/contracts`),
      undefined,
      undefined,
      { DPoP: oauth.DPoP(client, keyPair), [oauth.customFetch]: serve },
    );
    const error: unknown = await attempt.then(
      (response) => response,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
    expect((error as oauth.WWWAuthenticateChallengeError).cause).toEqual([
      {
        scheme: "dpop",
        parameters: {
          algs: "ES256",
          resource_metadata: `${publicOrigin}/.well-known/oauth-protected-resource/api`,
          error: "invalid_token",
          scope: "contracts:read",
        },
      },
    ]);
  });

  test("reads the error of a refused token request", async () => {
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.None(),
      jwtBearer,
      { assertion: "x" },
      { DPoP: oauth.DPoP(client, keyPair), [oauth.customFetch]: serve },
    );
    await expect(oauth.processGenericTokenEndpointResponse(server, client, response)).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });
});

describe("oauth4webapi and jose as the resource server", () => {
  test("accept the access token as RFC 9068 says", async () => {
    const { access_token: accessToken } = await obtainToken();
    const proof = oauth.DPoP(client, keyPair);
    let sent: Request | undefined;
    await oauth.protectedResourceRequest(accessToken, "GET", new URL(resource), undefined, undefined, {
      DPoP: proof,
      [oauth.customFetch]: (input: string, init: object) => {
        sent = new Request(input, init);
        return Promise.resolve(Response.json({}));
      },
    });
    const claims = await oauth.validateJwtAccessToken(server, sent as Request, resource, {
      [oauth.customFetch]: serve,
    });
    expect(claims).toMatchObject({ sub: "user-1", client_id: "authz-cli", scope: "contracts:read" });
  });

  test("verify its signature with the published keys", async () => {
    const { access_token: accessToken } = await obtainToken();
    const keys = createRemoteJWKSet(new URL(`${publicOrigin}/.well-known/jwks.json`), { [joseFetch]: serve });
    const { payload } = await jwtVerify(accessToken, keys, {
      issuer: publicOrigin,
      audience: resource,
      typ: "at+jwt",
      algorithms: ["ES256"],
      requiredClaims: ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"],
    });
    expect(payload.sub).toBe("user-1");
  });
});
