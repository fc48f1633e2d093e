import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "./browser.js";
import { startThirdParty, type ThirdParty } from "./third-party.js";

const redirectUri = "http://127.0.0.1:3000/connections/callback/notes";
const insecure = { [oauth.allowInsecureRequests]: true };
const client: oauth.Client = { client_id: "authz-connector" };

let thirdParty: ThirdParty;
let server: oauth.AuthorizationServer;
let authentication: oauth.ClientAuth;

beforeAll(async () => {
  thirdParty = await startThirdParty({ redirectUris: [redirectUri] });
  const issuer = new URL(thirdParty.issuer);
  server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  authentication = oauth.ClientSecretBasic(thirdParty.client.secret);
});

afterAll(() => thirdParty.close());

/** Goes through the browser and redeems the code. */
async function connect(scope = "openid email notes:read notes:write"): Promise<oauth.TokenEndpointResponse> {
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const url = new URL(server.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    client_id: client.client_id,
    response_type: "code",
    redirect_uri: redirectUri,
    scope,
    state: "state",
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  }).toString();
  const browser = new Browser(({ pathname }) => pathname === "/connections/callback/notes");
  const visit = await browser.open(url);
  const parameters = oauth.validateAuthResponse(server, client, visit.url, "state");
  return await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      redirectUri,
      codeVerifier,
      insecure,
    ),
  );
}

async function refresh(token: string): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure);
  return await oauth.processRefreshTokenResponse(server, client, response);
}

async function callApi(path: string, token: string): Promise<Response> {
  return await fetch(`${thirdParty.api}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

describe("the third party of the tests", () => {
  it("gives tokens, rotates refresh tokens, and its API takes the access token", async () => {
    const tokens = await connect();
    expect(tokens.scope?.split(" ")).toEqual(["openid", "email", "notes:read", "notes:write"]);
    const again = await refresh(tokens.refresh_token ?? "");
    expect(again.refresh_token).not.toBe(tokens.refresh_token);
    expect((await callApi("/notes", again.access_token)).status).toBe(200);
    expect((await callApi("/notes", "nonsense")).status).toBe(401);
    await expect(refresh(tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
    expect(thirdParty.tokenRequests.map(({ status }) => status)).toEqual([200, 200, 400]);
  });

  it("leaves out scopes, takes them away, and ends what it granted", async () => {
    thirdParty.consent = { leftOut: ["notes:write"] };
    const tokens = await connect();
    thirdParty.consent = {};
    expect(tokens.scope).toBe("openid email notes:read");
    await thirdParty.shrinkGrants(["notes:read"]);
    const shrunk = await refresh(tokens.refresh_token ?? "");
    expect(shrunk.scope).toBe("openid email");
    await thirdParty.revokeGrants();
    await expect(refresh(shrunk.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
    expect((await callApi("/notes", shrunk.access_token)).status).toBe(401);
  });

  it("rotates a refresh token although its answer is lost", async () => {
    const tokens = await connect();
    thirdParty.failures.set("token", { kind: "break", afterwards: true });
    await expect(refresh(tokens.refresh_token ?? "")).rejects.toThrow("fetch failed");
    thirdParty.failures.delete("token");
    await expect(refresh(tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
  });

  it("revokes tokens", async () => {
    const { refresh_token: token = "" } = await connect();
    expect(await thirdParty.isLive(token)).toBe(true);
    await oauth.revocationRequest(server, client, authentication, token, insecure);
    expect(await thirdParty.isLive(token)).toBe(false);
  });
});
