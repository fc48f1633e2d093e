import * as openid from "openid-client";
import { Browser } from "../../../../reference-server/test/support/browser.js";
import { type DevNotes, startDevNotes } from "../../src/index.js";

const redirectUri = "http://127.0.0.1:3000/connections/callback/notes";

/** The app that has access to accounts. Its name is one that a page has to escape. */
export const app = {
  clientId: "authz",
  clientSecret: "test-secret",
  name: "Acme <dev>",
  redirectUris: [redirectUri],
};

/** What the app keeps between the way out and the way back. */
export interface Checks {
  readonly pkceCodeVerifier: string;
  readonly expectedState: string;
}

export type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;

/** Notes with one app, and what the app and the people in front of it can do. */
export interface NotesWithApp {
  readonly notes: DevNotes;
  /** Every token that was issued. */
  readonly tokens: readonly string[];
  readonly openBrowser: () => Browser;
  readonly configure: () => Promise<openid.Configuration>;
  /** Completes the browser flow as a person who allows everything. */
  readonly connect: (
    config: openid.Configuration,
    options?: { readonly scope?: string; readonly account?: string },
  ) => Promise<Tokens>;
  readonly call: (
    token: string,
    path: string,
    options?: { readonly method?: string; readonly body?: unknown },
  ) => Promise<{ readonly status: number; readonly headers: Headers; readonly body: unknown }>;
  readonly close: () => Promise<void>;
}

export async function startNotesWithApp(): Promise<NotesWithApp> {
  const tokens: string[] = [];
  const notes = await startDevNotes({ clients: [app], onToken: (token) => tokens.push(token) });
  const openBrowser = () => new Browser((url) => url.origin !== notes.issuer);
  return {
    notes,
    tokens,
    openBrowser,
    configure: async () =>
      await openid.discovery(
        new URL(notes.issuer),
        app.clientId,
        undefined,
        openid.ClientSecretBasic(app.clientSecret),
        { algorithm: "oauth2", execute: [openid.allowInsecureRequests] },
      ),
    async connect(config, { scope = "notes:read notes:write", account = "ada-home" } = {}) {
      const browser = openBrowser();
      const { url, checks } = await begin(config, scope);
      const signIn = await browser.open(url);
      const consent = await browser.submit({ action: signIn.url, fields: { account } });
      const back = await browser.submit({ action: consent.url, fields: { answer: "allow" } });
      return await openid.authorizationCodeGrant(config, back.url, checks);
    },
    async call(token, path, { method = "GET", body } = {}) {
      const response = await fetch(new URL(path, notes.issuer), {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === "" ? "" : JSON.parse(text),
      };
    },
    async close() {
      await notes.close();
    },
  };
}

/** Where the app sends the browser. */
export async function begin(
  config: openid.Configuration,
  scope: string,
): Promise<{ url: URL; checks: Checks }> {
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  return { url, checks: { pkceCodeVerifier, expectedState } };
}
