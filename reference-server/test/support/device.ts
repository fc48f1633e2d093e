import * as oauth from "oauth4webapi";
import { Browser, readForm, type Visit } from "./browser.js";

export const redirectUri = "http://127.0.0.1:49152/callback";
export const allScopes = "openid profile email offline_access authz:login";
const insecure = { [oauth.allowInsecureRequests]: true };

/** A command-line client on some device, made of the unmodified `oauth4webapi`. */
export class Device {
  readonly issuer: string;
  readonly client: oauth.Client = { client_id: "authz-cli" };
  readonly keys: oauth.CryptoKeyPair;
  readonly dpop: oauth.DPoPHandle;
  readonly server: oauth.AuthorizationServer;
  readonly codeVerifier = oauth.generateRandomCodeVerifier();
  readonly state = oauth.generateRandomState();
  readonly nonce = oauth.generateRandomNonce();

  private constructor(issuer: string, server: oauth.AuthorizationServer, keys: oauth.CryptoKeyPair) {
    this.issuer = issuer;
    this.server = server;
    this.keys = keys;
    this.dpop = oauth.DPoP(this.client, keys);
  }

  static async create(issuer: string, keys?: oauth.CryptoKeyPair): Promise<Device> {
    const url = new URL(issuer);
    const response = await oauth.discoveryRequest(url, insecure);
    const server = await oauth.processDiscoveryResponse(url, response);
    return new Device(issuer, server, keys ?? (await oauth.generateKeyPair("ES256")));
  }

  /** The address of an authorization request. `undefined` removes a parameter. */
  async authorizeUrl(changes: Readonly<Record<string, string | undefined>> = {}): Promise<URL> {
    const parameters: Record<string, string | undefined> = {
      client_id: "authz-cli",
      response_type: "code",
      redirect_uri: redirectUri,
      scope: allScopes,
      state: this.state,
      nonce: this.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(this.codeVerifier),
      code_challenge_method: "S256",
      dpop_jkt: await this.dpop.calculateThumbprint(),
      ...changes,
    };
    const url = new URL(this.server.authorization_endpoint ?? "");
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  }

  /** Validates the redirect and redeems the code. */
  async redeem(callback: URL): Promise<oauth.TokenEndpointResponse> {
    const parameters = oauth.validateAuthResponse(this.server, this.client, callback, this.state);
    const response = await oauth.authorizationCodeGrantRequest(
      this.server,
      this.client,
      oauth.None(),
      parameters,
      redirectUri,
      this.codeVerifier,
      { DPoP: this.dpop, ...insecure },
    );
    return await oauth.processAuthorizationCodeResponse(this.server, this.client, response, {
      expectedNonce: this.nonce,
      requireIdToken: true,
    });
  }

  async refresh(refreshToken: string): Promise<oauth.TokenEndpointResponse> {
    const response = await oauth.refreshTokenGrantRequest(
      this.server,
      this.client,
      oauth.None(),
      refreshToken,
      {
        DPoP: this.dpop,
        ...insecure,
      },
    );
    return await oauth.processRefreshTokenResponse(this.server, this.client, response);
  }

  async userinfo(accessToken: string, subject: string): Promise<oauth.UserInfoResponse> {
    const response = await oauth.userInfoRequest(this.server, this.client, accessToken, {
      DPoP: this.dpop,
      ...insecure,
    });
    return await oauth.processUserInfoResponse(this.server, this.client, subject, response);
  }

  /** The whole way of an employee: authorize, sign in, allow, redeem. */
  async signIn(person = "ada", browser: Browser = createBrowser()): Promise<oauth.TokenEndpointResponse> {
    const consent = await signIn(browser, await this.authorizeUrl(), person);
    const { url } = await browser.submit(readForm(consent), { decision: "allow" });
    return await this.redeem(url);
  }
}

/** A browser that stops at the client's loopback address, or where a test wants. */
export function createBrowser(stopAt = (url: URL) => url.pathname === "/callback"): Browser {
  return new Browser(stopAt);
}

/** Opens an address and picks a person at the company's sign-in, when it asks. */
export async function signIn(browser: Browser, url: URL | string, person: string): Promise<Visit> {
  const visit = await browser.open(url);
  if (!visit.url.pathname.startsWith("/interaction/")) return visit;
  return await browser.submit(readForm(visit), { person });
}
