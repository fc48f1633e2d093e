import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevNotes, startDevNotes } from "../src/index.js";

const redirectUri = "http://127.0.0.1:3000/connections/callback/notes";
const client = {
  clientId: "authz",
  clientSecret: "test-secret",
  name: "Acme <dev>",
  redirectUris: [redirectUri],
};

let notes: DevNotes;
const tokens: string[] = [];

beforeAll(async () => {
  notes = await startDevNotes({ clients: [client], onToken: (token) => tokens.push(token) });
});

afterAll(async () => {
  await notes.close();
});

/** Keeps cookies and stops at redirects that leave the provider. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async open(
    url: URL,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<{ url: URL; status: number; text: string }> {
    const response = await fetch(url, {
      redirect: "manual",
      headers: {
        ...headers,
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      this.#cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const location = response.headers.get("location");
    const next = location === null ? undefined : new URL(location, url);
    if (next !== undefined && next.origin === notes.issuer) {
      return this.open(next);
    }
    return { url: next ?? url, status: response.status, text: await response.text() };
  }
}

/** What a page submits by itself: the provider ends the session of whoever was signed in before. */
function submitted(page: string): [URL, Record<string, string>] {
  const action = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? "");
  const fields = [...page.matchAll(/name="([^"]+)" value="([^"]*)"/g)];
  return [action, Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value]))];
}

function configure(): Promise<openid.Configuration> {
  return openid.discovery(
    new URL(notes.issuer),
    client.clientId,
    undefined,
    openid.ClientSecretBasic(client.clientSecret),
    {
      algorithm: "oauth2",
      execute: [openid.allowInsecureRequests],
    },
  );
}

async function begin(config: openid.Configuration, scope: string): Promise<{ url: URL; checks: Checks }> {
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

interface Checks {
  readonly pkceCodeVerifier: string;
  readonly expectedState: string;
}

type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;

async function connect(
  config: openid.Configuration,
  { scope = "notes:read notes:write", account = "ada-home" } = {},
): Promise<Tokens> {
  const browser = new Browser();
  const { url, checks } = await begin(config, scope);
  const signIn = await browser.open(url);
  const consent = await browser.open(signIn.url, { account });
  const back = await browser.open(consent.url, { answer: "allow" });
  return openid.authorizationCodeGrant(config, back.url, checks);
}

async function call(
  token: string,
  path: string,
  { method = "GET", body }: { method?: string; body?: unknown } = {},
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const response = await fetch(new URL(path, notes.issuer), {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? "" : JSON.parse(text) };
}

describe("the provider of Notes", () => {
  test("asks who it is, then whether the app may, and says both in words", async () => {
    const browser = new Browser();
    const signIn = await browser.open((await begin(await configure(), "notes:read")).url);
    expect(signIn.text).toContain("ada@home.example");
    expect(signIn.text).toContain("Acme &lt;dev&gt;");
    const consent = await browser.open(signIn.url, { account: "bruno-home" });
    expect(consent.text).toContain("Acme &lt;dev&gt; wants to use your notes");
    expect(consent.text).toContain("bruno@home.example");
    expect(consent.text).toContain("Read all your notes");
    expect(consent.text).not.toContain("Create and delete notes");
  });

  test("gives the scopes that were allowed, and a refresh token that works once", async () => {
    const config = await configure();
    const first = await connect(config, { scope: "notes:read" });
    expect(first).toMatchObject({ scope: "notes:read", expires_in: 120 });
    expect(tokens).toEqual(expect.arrayContaining([first.access_token, first.refresh_token]));
    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? "");
    expect(second.refresh_token).not.toBe(first.refresh_token);
    await expect(openid.refreshTokenGrant(config, first.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
    // Somebody has a copy, so nobody keeps anything.
    await expect(openid.refreshTokenGrant(config, second.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("asks again each time, and revokes all that the app has of the account at once", async () => {
    const config = await configure();
    const browser = new Browser();
    const granted: Tokens[] = [];
    for (let times = 0; times < 2; times += 1) {
      const { url, checks } = await begin(config, "notes:read");
      const signIn = await browser.open(url);
      const consent = await browser.open(signIn.url, { account: "ada-home" });
      expect(consent.text).toContain("wants to use your notes");
      const back = await browser.open(consent.url, { answer: "allow" });
      granted.push(await openid.authorizationCodeGrant(config, back.url, checks));
    }
    await openid.tokenRevocation(config, granted[1]?.refresh_token ?? "");
    await expect(openid.refreshTokenGrant(config, granted[0]?.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("keeps what was allowed when somebody else signs in in the same browser", async () => {
    const config = await configure();
    const browser = new Browser();
    const { url, checks } = await begin(config, "notes:read");
    const consent = await browser.open((await browser.open(url)).url, { account: "ada-home" });
    const back = await browser.open(consent.url, { answer: "allow" });
    const granted = await openid.authorizationCodeGrant(config, back.url, checks);
    const other = await browser.open((await begin(config, "notes:read")).url);
    const leave = await browser.open(other.url, { account: "bruno-home" });
    await browser.open((await browser.open(...submitted(leave.text))).url, { answer: "allow" });
    expect((await call(granted.access_token, "/api/notes")).status).toBe(200);
    await expect(openid.refreshTokenGrant(config, granted.refresh_token ?? "")).resolves.toMatchObject({
      scope: "notes:read",
    });
  });

  test("takes everything back when the refresh token is revoked", async () => {
    const config = await configure();
    const granted = await connect(config);
    expect(await openid.tokenIntrospection(config, granted.access_token)).toMatchObject({ active: true });
    await openid.tokenRevocation(config, granted.refresh_token ?? "");
    expect(await openid.tokenIntrospection(config, granted.access_token)).toEqual({ active: false });
    expect((await call(granted.access_token, "/api/notes")).status).toBe(401);
  });

  test.each([
    { name: "nobody signs in", answers: [{ cancel: "yes" }] },
    { name: "an unknown account", answers: [{ account: "mallory" }] },
    { name: "the owner denies", answers: [{ account: "ada-home" }, { answer: "deny" }] },
  ])("sends the app back with access_denied: $name", async ({ answers }) => {
    const browser = new Browser();
    let page = await browser.open((await begin(await configure(), "notes:read")).url);
    for (const answer of answers) {
      page = await browser.open(page.url, answer);
    }
    expect(page.url.searchParams.get("error")).toBe("access_denied");
  });

  test("insists on PKCE", async () => {
    const { url } = await begin(await configure(), "notes:read");
    url.searchParams.delete("code_challenge");
    url.searchParams.delete("code_challenge_method");
    const back = await new Browser().open(url);
    expect(back.url.searchParams.get("error")).toBe("invalid_request");
  });

  test("answers in words when the request is not this browser's", async () => {
    const page = await new Browser().open((await begin(await configure(), "notes:read")).url);
    const stranger = await new Browser().open(page.url, { account: "ada-home" });
    expect(stranger.status).toBe(400);
    expect(stranger.text).toContain("This request is over");
  });
});

describe("the API of Notes", () => {
  let token: string;

  beforeAll(async () => {
    token = (await connect(await configure())).access_token;
  });

  test("lists, creates, reads and deletes the notes of one account", async () => {
    const created = await call(token, "/api/notes", {
      method: "POST",
      body: { title: "Tea", text: "Green" },
    });
    expect(created).toMatchObject({
      status: 201,
      body: { title: "Tea", text: "Green", createdBy: "Acme <dev>" },
    });
    const path = created.headers.get("location") ?? "";
    expect((await call(token, path)).body).toEqual(created.body);
    expect(await call(token, "/api/notes")).toMatchObject({
      status: 200,
      body: { owner: "ada@home.example", notes: [created.body, { title: "Bernoulli numbers" }, {}] },
    });
    expect((await call(token, path, { method: "DELETE" })).status).toBe(204);
    expect((await call(token, path)).status).toBe(404);
  });

  test("says whose account it is", async () => {
    expect((await call(token, "/api/account")).body).toEqual({
      id: "ada-home",
      name: "Ada Lovelace",
      email: "ada@home.example",
    });
  });

  test("keeps accounts apart", async () => {
    const other = await connect(await configure(), { account: "bruno-home" });
    expect((await call(other.access_token, "/api/notes/n1")).status).toBe(404);
    expect((await call(token, "/api/notes/n1")).status).toBe(200);
  });

  test("asks for the scope that is missing", async () => {
    const reader = await connect(await configure(), { scope: "notes:read" });
    const refused = await call(reader.access_token, "/api/notes", { method: "POST", body: { title: "No" } });
    expect(refused).toMatchObject({ status: 403, body: { error: "insufficient_scope" } });
    expect(refused.headers.get("www-authenticate")).toContain('scope="notes:write"');
  });

  test.each([
    { name: "a token that nobody issued", path: "/api/notes", options: {}, bearer: "no", status: 401 },
    { name: "a path that is not there", path: "/api/letters", options: {}, status: 404 },
    { name: "a method that is not there", path: "/api/notes", options: { method: "PUT" }, status: 405 },
    { name: "no JSON", path: "/api/notes", options: { method: "POST" }, status: 400 },
    {
      name: "a note without a title",
      path: "/api/notes",
      options: { method: "POST", body: { text: "?" } },
      status: 400,
    },
    {
      name: "a body that is too large",
      path: "/api/notes",
      options: { method: "POST", body: { title: "Long", text: "x".repeat(70_000) } },
      status: 400,
    },
  ])("refuses $name", async ({ path, options, bearer, status }) => {
    expect((await call(bearer ?? token, path, options)).status).toBe(status);
  });
});

describe("the site of Notes", () => {
  test("shows an account its notes and the apps with access, and takes the access away", async () => {
    const config = await configure();
    const account = new URL("/accounts/bruno-home", notes.issuer);
    const granted = await connect(config, { account: "bruno-home" });
    const browser = new Browser();
    expect((await browser.open(new URL(notes.issuer))).text).toContain("bruno@home.example");
    const page = await browser.open(account);
    expect(page.text).toContain("Bread");
    expect(page.text).toContain("Acme &lt;dev&gt;");
    const forged = await browser.open(account, { app: "authz" }, { origin: "http://attacker.example" });
    expect(forged.status).toBe(403);
    expect(await openid.tokenIntrospection(config, granted.access_token)).toMatchObject({ active: true });
    const after = await browser.open(account, { app: "authz" }, { origin: notes.issuer });
    expect(after.text).not.toContain("Acme &lt;dev&gt;");
    await expect(openid.refreshTokenGrant(config, granted.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("is there for its own address only", async () => {
    await expect(startDevNotes({ clients: [client], host: "0.0.0.0" })).rejects.toThrow(TypeError);
    const missing = await new Browser().open(new URL("/accounts/mallory", notes.issuer));
    expect(missing.status).toBe(404);
  });
});
