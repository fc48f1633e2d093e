import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createProvider, type Provider } from "../../../src/connectors/provider/provider.js";
import { ProviderError } from "../../../src/connectors/provider/provider-error.js";
import { createOutboundClient, type OutboundClient } from "../../../src/outbound/outbound-fetch.js";
import type { Connector, ConnectorKind } from "../../../src/store/connectors.js";
import { testConnector, testEnvelope } from "../../support/connectors.js";

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const callbackUrl = "https://authz.acme.example/connections/callback/notes";
const attempt = { state: "the-state", nonce: "the-nonce", codeVerifier: "v".repeat(43), scopes: ["a", "b"] };
const secretText = "the client's secret";
const tokens = { access_token: "access", token_type: "bearer", refresh_token: "refresh", expires_in: 60 };

let server: Server;
let origin: string;
let outbound: OutboundClient;
let provider: Provider;
const seen: Seen[] = [];
/** By path; a path that is not here answers 404. */
let answers: Record<string, Answer>;

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "";
  seen.push({ method: request.method ?? "", path, headers: request.headers, body: await text(request) });
  const { status = 200, headers = {}, body = "" } = answers[path] ?? { status: 404 };
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

beforeAll(async () => {
  server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  outbound = createOutboundClient({ allowInsecureLoopback: true });
  provider = createProvider({
    issuer: "https://authz.acme.example",
    vault: { open: () => Promise.resolve(secretText) },
    outboundFetch: outbound.fetch,
    allowInsecureLoopback: true,
    timeoutSeconds: 5,
  });
});

afterAll(async () => {
  await outbound.close();
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  seen.length = 0;
  answers = { "/token": { body: tokens } };
});

function connectorOf(kind: ConnectorKind, changes: Partial<Connector> = {}): Connector {
  const at = new Date();
  return {
    ...testConnector({ kind, key: "notes" }),
    authorizationEndpoint: `${origin}/authorize?tenant=1`,
    tokenEndpoint: `${origin}/token`,
    revocationEndpoint: `${origin}/revoke`,
    accountEndpoint: `${origin}/account`,
    tokenEndpointAuthMethod: "client_secret_post",
    clientId: "the-client",
    clientSecret: testEnvelope(),
    authorizationParameters: { prompt: "consent" },
    createdAt: at,
    updatedAt: at,
    version: 1,
    ...changes,
  };
}

const redeem = (connector: Connector, query = "code=the-code&state=the-state") =>
  provider.redeem(connector, attempt, query);

async function failure(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProviderError)) throw new Error("not refused", { cause: error });
  const { reason, detail, message, cause } = error;
  expect(JSON.stringify({ detail, message, cause })).not.toMatch(/access-|refresh-|secret/);
  return reason;
}

describe("the authorization address", () => {
  it("keeps what the endpoint has, and lets no parameter of the connector stand in for the protocol's own", async () => {
    const authorizationParameters = {
      prompt: "consent",
      state: "theirs",
      redirect_uri: "https://evil.example",
    };
    const url = await provider.authorizationUrl(connectorOf("oauth2", { authorizationParameters }), attempt);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      tenant: "1",
      prompt: "consent",
      state: "the-state",
      redirect_uri: callbackUrl,
      scope: "a b",
      code_challenge_method: "S256",
    });
    expect(url.searchParams.has("nonce")).toBe(false);
  });

  it("asks Slack for scopes of the person, with commas", async () => {
    const { searchParams } = await provider.authorizationUrl(connectorOf("slack"), attempt);
    expect([searchParams.get("user_scope"), searchParams.get("scope")]).toEqual(["a,b", null]);
  });
});

describe("redeeming", () => {
  it("sends the code with verifier and client credentials, and reads the answer", async () => {
    const { tokens: got, scopes } = await redeem(connectorOf("oauth2"));
    expect(got).toMatchObject({ accessToken: "access", refreshToken: "refresh", expiresInSeconds: 60 });
    expect(scopes).toEqual(["a", "b"]);
    expect(Object.fromEntries(new URLSearchParams(seen[0]?.body))).toEqual({
      grant_type: "authorization_code",
      code: "the-code",
      redirect_uri: callbackUrl,
      code_verifier: attempt.codeVerifier,
      client_id: "the-client",
      client_secret: secretText,
    });
  });

  const returns: readonly {
    readonly name: string;
    readonly query: string;
    readonly issuer?: string;
    readonly reason: string;
  }[] = [
    { name: "no code", query: "state=the-state", reason: "invalid_answer" },
    { name: "another state", query: "code=c&state=other", reason: "invalid_answer" },
    { name: "two codes", query: "code=c&code=d&state=the-state", reason: "invalid_answer" },
    { name: "a refusal", query: "error=access_denied&state=the-state", reason: "denied" },
    { name: "another error", query: "error=invalid_scope&state=the-state", reason: "refused" },
    { name: "an error that is no code", query: "error=%3Cscript%3E&state=the-state", reason: "refused" },
    {
      name: "another issuer",
      query: "code=c&state=the-state&iss=https://evil.example",
      issuer: "https://good.example",
      reason: "issuer_mismatch",
    },
    {
      name: "two issuers",
      query: "code=c&state=the-state&iss=https://good.example&iss=https://evil.example",
      issuer: "https://good.example",
      reason: "issuer_mismatch",
    },
    { name: "a token", query: "code=c&state=the-state&id_token=x", reason: "invalid_answer" },
  ];
  it.each(returns)("asks nobody when the browser brings $name", async ({ query, issuer = null, reason }) => {
    expect(await failure(redeem(connectorOf("oauth2", { issuer }), query))).toBe(reason);
    expect(seen).toEqual([]);
  });

  const nonsense: readonly { readonly name: string; readonly answer: Answer; readonly reason: string }[] = [
    { name: "no JSON", answer: { body: "access_token=access-1" }, reason: "invalid_answer" },
    { name: "a list", answer: { body: [tokens] }, reason: "invalid_answer" },
    { name: "no token", answer: { body: { token_type: "bearer" } }, reason: "invalid_answer" },
    { name: "an empty token", answer: { body: { ...tokens, access_token: "" } }, reason: "invalid_answer" },
    {
      name: "a token with a line break",
      answer: { body: { ...tokens, access_token: "access-1\r\nx: y" } },
      reason: "invalid_answer",
    },
    {
      name: "a token of another type",
      answer: { body: { ...tokens, token_type: "mac" } },
      reason: "invalid_answer",
    },
    {
      name: "a refresh token that is none",
      answer: { body: { ...tokens, refresh_token: 7 } },
      reason: "invalid_answer",
    },
    {
      name: "a time that is none",
      answer: { body: { ...tokens, expires_in: "soon" } },
      reason: "invalid_answer",
    },
    {
      name: "scopes that are no text",
      answer: { body: { ...tokens, scope: ["a"] } },
      reason: "invalid_answer",
    },
    { name: "tokens with an error status", answer: { status: 400, body: tokens }, reason: "invalid_answer" },
    { name: "too much", answer: { body: { ...tokens, more: "x".repeat(70_000) } }, reason: "invalid_answer" },
    {
      name: "a redirect",
      answer: { status: 302, headers: { location: "/elsewhere" } },
      reason: "invalid_answer",
    },
    {
      name: "an error",
      answer: { status: 400, body: { error: "invalid_grant", error_description: "access-1" } },
      reason: "grant_refused",
    },
    {
      name: "another error",
      answer: { status: 400, body: { error: "unsupported_grant_type" } },
      reason: "refused",
    },
    { name: "a failure", answer: { status: 502, body: tokens }, reason: "no_answer" },
    { name: "that it is too busy", answer: { status: 429 }, reason: "rate_limited" },
  ];
  it.each(nonsense)("refuses an answer with $name", async ({ answer, reason }) => {
    answers["/token"] = answer;
    expect(await failure(redeem(connectorOf("oauth2")))).toBe(reason);
  });

  it("tells nothing sent from sent without an answer", async () => {
    const nobody = connectorOf("oauth2", { tokenEndpoint: "http://127.0.0.1:1/token" });
    expect(await failure(redeem(nobody))).toBe("unreachable");
    const inside = connectorOf("oauth2", { tokenEndpoint: "https://10.0.0.1/token" });
    expect(await failure(redeem(inside))).toBe("unreachable");
  });

  it.each([
    { name: "none", id_token: undefined },
    { name: "one that is none", id_token: "a.b.c" },
    { name: "one without a signature algorithm", id_token: unsigned({ alg: "none" }) },
    { name: "one of another issuer", id_token: unsigned({ alg: "RS256" }) },
  ])("refuses $name where an ID token is asked for", async ({ id_token }) => {
    answers["/token"] = { body: { ...tokens, id_token } };
    const connector = connectorOf("oauth2", { issuer: origin });
    const work = provider.redeem(connector, { ...attempt, scopes: ["openid"] }, "code=c&state=the-state");
    expect(await failure(work)).toBe("invalid_answer");
    // What came with it is ended: the refresh token, then the access token.
    expect(seen.map(({ path }) => path)).toEqual(["/token", "/revoke", "/revoke"]);
  });
});

function unsigned(header: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: "https://evil.example",
    aud: "the-client",
    sub: "s",
    iat: now,
    exp: now + 60,
    nonce: "the-nonce",
  };
  return `${encode(header)}.${encode(claims)}.${Buffer.from("signature").toString("base64url")}`;
}

describe("third parties that depart from the standards", () => {
  it("GitHub: errors with status 200, scopes with commas", async () => {
    const github = connectorOf("github");
    answers["/token"] = { body: { error: "bad_verification_code" } };
    expect(await failure(redeem(github))).toBe("grant_refused");
    answers["/token"] = { body: { error: "incorrect_client_credentials" } };
    expect(await failure(redeem(github))).toBe("client_refused");
    answers["/token"] = { body: { error: "bad_refresh_token" } };
    expect(await failure(provider.refresh(github, { refreshToken: "refresh-1", scopes: [] }))).toBe(
      "grant_refused",
    );
    answers["/token"] = { body: { access_token: "gho_1", token_type: "bearer", scope: "a,b" } };
    const grant = await redeem(github);
    expect(grant).toMatchObject({
      scopes: ["a", "b"],
      tokens: { refreshToken: undefined, expiresInSeconds: undefined },
    });
    answers["/account"] = { body: { id: 583231, login: "octocat" } };
    expect(await provider.findAccount(github, grant)).toEqual({ subject: "583231", label: "octocat" });
  });

  it("GitHub: what was granted is ended as a whole, with the client's credentials", async () => {
    const github = connectorOf("github", { revocationEndpoint: `${origin}/applications` });
    answers["/applications/the-client/grant"] = { status: 204 };
    expect(await provider.revoke(github, { accessToken: "gho_1", refreshToken: "ghr_1" })).toBe("confirmed");
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "DELETE", body: '{"access_token":"gho_1"}' });
    expect(seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`the-client:${secretText}`).toString("base64")}`,
    );
    answers["/applications/the-client/grant"] = { status: 404 };
    expect(await provider.revoke(github, { accessToken: "gho_1", refreshToken: undefined })).toBe(
      "unconfirmed",
    );
  });

  it("Slack: the person's token beside the bot's, errors with status 200", async () => {
    const slack = connectorOf("slack");
    const person = {
      id: "U1",
      access_token: "xoxp-1",
      refresh_token: "xoxe-1",
      expires_in: 43_200,
      scope: "a,b",
      token_type: "user",
    };
    answers["/token"] = {
      body: { ok: true, access_token: "xoxb-1", token_type: "bot", authed_user: person },
    };
    const grant = await redeem(slack);
    expect(grant).toMatchObject({
      scopes: ["a", "b"],
      tokens: { accessToken: "xoxp-1", refreshToken: "xoxe-1" },
    });
    answers["/account"] = { body: { ok: true, user_id: "U1", team_id: "T1", user: "ada", team: "Acme" } };
    expect(await provider.findAccount(slack, grant)).toEqual({ subject: "T1/U1", label: "ada · Acme" });
    answers["/account"] = { body: { ok: false, error: "invalid_auth" } };
    expect(await failure(provider.findAccount(slack, grant))).toBe("account_unknown");
    answers["/token"] = {
      body: { ok: true, access_token: "xoxb-1", token_type: "bot", authed_user: { id: "U1" } },
    };
    expect(await failure(redeem(slack))).toBe("refused");
    answers["/token"] = {
      body: {
        ok: true,
        access_token: "xoxp-2",
        refresh_token: "xoxe-2",
        token_type: "user",
        expires_in: 43_200,
      },
    };
    expect(
      (await provider.refresh(slack, { refreshToken: "xoxe-1", scopes: ["a"] })).tokens.accessToken,
    ).toBe("xoxp-2");
    answers["/token"] = { body: { ok: false, error: "invalid_refresh_token" } };
    expect(await failure(provider.refresh(slack, { refreshToken: "xoxe-1", scopes: [] }))).toBe(
      "grant_refused",
    );
  });

  it("Slack: ended only when it says so of each token", async () => {
    const slack = connectorOf("slack");
    answers["/revoke"] = { body: { ok: true, revoked: true } };
    expect(await provider.revoke(slack, { accessToken: "xoxp-1", refreshToken: "xoxe-1" })).toBe("confirmed");
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer xoxe-1", "Bearer xoxp-1"]);
    answers["/revoke"] = { body: { ok: false, error: "token_expired" } };
    expect(await provider.revoke(slack, { accessToken: "xoxp-1", refreshToken: undefined })).toBe(
      "unconfirmed",
    );
  });

  it("Atlassian: a refresh token that is used up", async () => {
    answers["/token"] = {
      status: 403,
      body: { error: "unauthorized_client", error_description: "refresh_token is invalid" },
    };
    const held = { refreshToken: "refresh-1", scopes: [] };
    expect(await failure(provider.refresh(connectorOf("atlassian"), held))).toBe("grant_refused");
    expect(await failure(provider.refresh(connectorOf("oauth2"), held))).toBe("client_refused");
  });

  it("Microsoft and Atlassian: tokens cannot be ended", async () => {
    const connector = connectorOf("microsoft-graph", { revocationEndpoint: null });
    expect(await provider.revoke(connector, { accessToken: "a", refreshToken: "b" })).toBe("unsupported");
    expect(seen).toEqual([]);
  });
});

describe("whose account it is", () => {
  const grant = {
    tokens: {
      accessToken: "access",
      refreshToken: undefined,
      idToken: undefined,
      expiresInSeconds: undefined,
      scopes: undefined,
    },
    scopes: [],
  };
  const find = (claims: Readonly<Record<string, unknown>> | undefined) =>
    provider.findAccount(connectorOf("oauth2"), { ...grant, claims });

  it.each([
    { name: "a number and a name", body: { id: 7, name: "Ada" }, account: { subject: "7", label: "Ada" } },
    { name: "a subject alone", body: { sub: "s" }, account: { subject: "s", label: "s" } },
    {
      name: "control characters in the name",
      body: { sub: "s", email: "a\u202ed\u0000a" },
      account: { subject: "s", label: "ada" },
    },
    {
      name: "a very long name",
      body: { sub: "s", name: "n".repeat(999) },
      account: { subject: "s", label: "n".repeat(200) },
    },
  ])("is read from $name", async ({ body, account }) => {
    answers["/account"] = { body };
    expect(await find(undefined)).toEqual(account);
    expect(seen[0]?.headers.authorization).toBe("Bearer access");
  });

  it.each([
    { name: "nothing", answer: { body: {} } },
    { name: "a subject that is too long", answer: { body: { sub: "s".repeat(256) } } },
    { name: "a refusal", answer: { status: 403, body: {} } },
  ])("is unknown with $name", async ({ answer }) => {
    answers["/account"] = answer;
    expect(await failure(find(undefined))).toBe("account_unknown");
  });

  it("must be the same in ID token and account endpoint", async () => {
    answers["/account"] = { body: { sub: "other", email: "other@private.example" } };
    expect(await failure(find({ sub: "s" }))).toBe("account_unknown");
    answers["/account"] = { body: { sub: "s", email: "ada@private.example" } };
    expect(await find({ sub: "s" })).toEqual({ subject: "s", label: "ada@private.example" });
  });
});
