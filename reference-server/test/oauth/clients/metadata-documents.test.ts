import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { generateEs256KeyPair } from "@authz/dpop";
import { createServer, type Server } from "../../../src/server.js";
import { loadConfig } from "../../../src/config/config.js";
import { refusalLimits, type Refusals } from "../../../src/audit/refusals.js";
import { createLog } from "../../../src/platform/http/log.js";
import { type ClientPublisher, startClientPublisher, usualDocument } from "../../support/client-publisher.js";
import { testEnvironment } from "../../support/environment.js";
import { createTestServer, patience, type TestServer } from "../../support/server.js";
import { resourceRecord } from "../../support/records.js";

const resource = "https://contracts.acme.example/api";
const redirectUri = "http://localhost:53211/callback";

let publisher: ClientPublisher;
let server: TestServer;
let other: Server;
/** Its requests to other servers time out at once. */
let impatient: Server;
beforeAll(async () => {
  publisher = await startClientPublisher();
  server = await createTestServer();
  const config = loadConfig(testEnvironment({ POSTGRES_URL: server.database.url }));
  const log = createLog("silent", { write: () => undefined });
  const create = (timeoutFactor: number) => createServer(config, { log, clock: server.clock, timeoutFactor });
  [other, impatient] = await Promise.all([create(patience), create(0.02)]);
  const { store } = server.context;
  const at = new Date(server.clock());
  await store.appHosts.save({ host: publisher.host, name: "Notes", allowed: true }, at);
  await store.resources.save(
    resourceRecord({ id: randomUUID(), resource, clientId: "contracts", allowsBearer: true }),
    at,
  );
});
afterAll(async () => {
  await other.close();
  await impatient.close();
  await server.close();
  await publisher.close();
});
afterEach(() => server.context.store.settings.save({ appTrust: "listed" }, new Date(server.clock())));

let count = 0;
const newPath = () => `/apps/${(count += 1)}.json`;
/** An unused address: limits for strangers are counted by address. */
const newAddress = () => `10.0.${Math.floor((count += 1) / 256)}.${count % 256}`;

interface From {
  readonly at?: Pick<Server, "app">;
  readonly redirect?: string;
  readonly address?: string;
  readonly scope?: string;
}

async function authorize(
  clientId: string,
  { at = server, redirect = redirectUri, scope, address = newAddress() }: From = {},
) {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: redirect,
    code_challenge: createHash("sha256").update("verifier").digest("base64url"),
    code_challenge_method: "S256",
    resource,
    ...(scope !== undefined && { scope }),
  });
  const url = `/api/oauth/authorize?${query.toString()}`;
  const answer = await at.app.inject({ url, remoteAddress: address });
  const { location, "retry-after": retryAfter } = answer.headers;
  return { status: answer.statusCode, location, retryAfter, html: answer.body };
}

const post = (
  url: string,
  form: Readonly<Record<string, string | undefined>>,
  at: Pick<Server, "app"> = server,
) =>
  at.app.inject({
    method: "POST",
    url,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams(
      Object.entries(form).map(([name, value = ""]): [string, string] => [name, value]),
    ).toString(),
  });

/** Waits for what happens behind requests, however slow the machine is. */
const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 120_000 });

/** Waits until a document has been looked at behind a request. */
async function isLookedAt(clientId: string): Promise<void> {
  await eventually(async () => {
    const kept = await server.context.store.clientDocuments.find(clientId);
    expect(kept?.document.freshUntil.getTime()).toBeGreaterThan(server.clock());
  });
}

const isAsked = ({ location }: { location: string | undefined }) =>
  location?.startsWith("/oauth/consent?request=") === true;

async function eventsOf(clientId: string) {
  return await server.database.query<{ type: string; outcome: string; data: Record<string, unknown> }>(
    "SELECT type, outcome, data FROM audit_events WHERE client_id = $1 ORDER BY id",
    [clientId],
  );
}

describe("an app that comes with a document", () => {
  test("is asked about like any other, on any port of this computer", async () => {
    const clientId = publisher.publishClient(newPath());
    for (const redirect of [redirectUri, "http://127.0.0.1:40000/callback", "http://localhost/callback"])
      expect(isAsked(await authorize(clientId, { redirect }))).toBe(true);
    expect((await authorize(clientId, { redirect: "http://localhost:53211/other" })).status).toBe(400);
    expect((await authorize(clientId, { redirect: "https://evil.example/callback" })).status).toBe(400);
    expect(await server.context.store.clients.find(clientId)).toEqual({
      id: clientId,
      name: "Field Notes",
      type: "public",
      redirectUris: ["http://localhost/callback", "http://127.0.0.1/callback"],
      keys: [],
      dpopBound: false,
      grantTypes: ["authorization_code", "refresh_token"],
      source: "metadata_document",
      trusted: true,
      limited: false,
      ceiling: [],
      builtIn: false,
      enabled: true,
    });
    expect(await eventsOf(clientId)).toEqual([
      {
        type: "client.registered",
        outcome: "success",
        data: {
          source: "metadata_document",
          name: "Field Notes",
          redirectUris: ["http://localhost/callback", "http://127.0.0.1/callback"],
        },
      },
    ]);
  });

  test("may push its request, and begin on a device", async () => {
    const clientId = publisher.publishClient(newPath(), {
      grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
    });
    const fields = { client_id: clientId, redirect_uri: redirectUri, response_type: "code", resource };
    const challenge = { code_challenge: "A".repeat(43), code_challenge_method: "S256" };
    const pushed = await post("/api/oauth/par", { ...fields, ...challenge });
    expect(pushed.statusCode).toBe(201);
    const device = await post("/api/oauth/device_authorization", { client_id: clientId, resource });
    expect(device.statusCode).toBe(200);
    expect(publisher.requests(new URL(clientId).pathname)).toHaveLength(1);
  });

  const [deviceCode, jwtBearer, exchange] = ["device_code", "jwt-bearer", "token-exchange"].map(
    (name) => `urn:ietf:params:oauth:grant-type:${name}`,
  );
  const pushed = { redirect_uri: redirectUri, response_type: "code" };
  const challenge = { code_challenge: "A".repeat(43), code_challenge_method: "S256" };
  const subject = { subject_token: "x", subject_token_type: "urn:ietf:params:oauth:token-type:id_token" };
  const wanted = { requested_token_type: "urn:ietf:params:oauth:token-type:id-jag", audience: "x" };

  test.each([
    [["authorization_code"], "device_authorization", {}],
    [["authorization_code"], "token", { grant_type: deviceCode, device_code: "x" }],
    [["authorization_code"], "token", { grant_type: "refresh_token", refresh_token: "x" }],
    [["authorization_code"], "token", { grant_type: exchange, ...subject, ...wanted }],
    [[deviceCode], "par", { ...pushed, ...challenge }],
    [
      [deviceCode],
      "token",
      { grant_type: "authorization_code", code: "x", redirect_uri: redirectUri, code_verifier: "x" },
    ],
    [[jwtBearer, "client_credentials"], "token", { grant_type: "client_credentials" }],
  ])("that lists %s is refused at %s with %j", async (lists, endpoint, form) => {
    const clientId = publisher.publishClient(newPath(), { grant_types: lists });
    const answer = await post(`/api/oauth/${endpoint}`, { client_id: clientId, resource, ...form });
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: "unauthorized_client" }]);
  });

  test("that lists no code flow hears so at its redirect", async () => {
    const clientId = publisher.publishClient(newPath(), { grant_types: [deviceCode] });
    const { location = "" } = await authorize(clientId);
    expect(location.startsWith(redirectUri)).toBe(true);
    expect(new URL(location).searchParams.get("error")).toBe("unauthorized_client");
  });

  test("that lists no refresh_token is asked about without staying signed in", async () => {
    for (const [lists, scopes] of [
      [["authorization_code"], ["openid"]],
      [
        ["authorization_code", "refresh_token"],
        ["openid", "offline_access"],
      ],
    ]) {
      const clientId = publisher.publishClient(newPath(), { grant_types: lists });
      await authorize(clientId, { scope: "openid offline_access" });
      const sql = "SELECT scopes FROM authorization_requests WHERE client_id = $1";
      expect(await server.database.query(sql, [clientId])).toEqual([{ scopes }]);
    }
  });

  test("with the longest address there is goes through", async () => {
    const path = `/${"long/".repeat(500)}`.slice(0, 2048 - publisher.origin.length);
    expect(isAsked(await authorize(publisher.publishClient(path)))).toBe(true);
  });
});

describe("a document", () => {
  test("is fetched once, by requests at the same time and by every process", async () => {
    const path = newPath();
    const clientId = publisher.publishClient(path, {}, { "cache-control": "max-age=600" });
    const answers = await Promise.all(Array.from({ length: 5 }, () => authorize(clientId)));
    expect(answers.every(isAsked)).toBe(true);
    expect(isAsked(await authorize(clientId))).toBe(true);
    expect(isAsked(await authorize(clientId, { at: other }))).toBe(true);
    server.clock.advance(599);
    expect(isAsked(await authorize(clientId))).toBe(true);
    expect(publisher.requests(path)).toHaveLength(1);
    server.clock.advance(2);
    expect(isAsked(await authorize(clientId, { at: other }))).toBe(true);
    await isLookedAt(clientId);
    expect(isAsked(await authorize(clientId))).toBe(true);
    expect(publisher.requests(path)).toHaveLength(2);
  });

  test("is fetched by two processes at the same moment without harm", async () => {
    const clientId = publisher.publishClient(newPath());
    const answers = await Promise.all([authorize(clientId), authorize(clientId, { at: other })]);
    expect(answers.every(isAsked)).toBe(true);
    expect((await eventsOf(clientId)).map(({ type }) => type)).toEqual(["client.registered"]);
  });

  test("is not sent again while it has not changed", async () => {
    const path = newPath();
    const clientId = publisher.publishClient(path, {}, { etag: '"one"' });
    await authorize(clientId);
    server.clock.advance(301);
    expect(isAsked(await authorize(clientId))).toBe(true);
    await isLookedAt(clientId);
    expect(publisher.requests(path).map((headers) => headers["if-none-match"])).toEqual([undefined, '"one"']);
    server.clock.advance(299);
    expect(isAsked(await authorize(clientId))).toBe(true);
    expect(publisher.requests(path)).toHaveLength(2);
  });

  test("that has changed counts as it is now, and leaves alone what an administrator decided", async () => {
    const path = newPath();
    const clientId = publisher.publishClient(path);
    await authorize(clientId);
    const { store } = server.context;
    const client = await store.clients.find(clientId);
    if (client === undefined) throw new Error("no client");
    const decided = { limited: true, ceiling: [] };
    await store.clients.save({ ...client, ...decided }, new Date(server.clock()));
    publisher.publishClient(path, { client_name: "Notes", redirect_uris: ["https://notes.example/cb"] });
    expect(isAsked(await authorize(clientId))).toBe(true);
    server.clock.advance(301);
    // Asked for behind this request, which does not wait.
    expect(isAsked(await authorize(clientId))).toBe(true);
    await isLookedAt(clientId);
    expect((await authorize(clientId)).status).toBe(400);
    expect(isAsked(await authorize(clientId, { redirect: "https://notes.example/cb" }))).toBe(true);
    expect(await store.clients.find(clientId)).toMatchObject({ name: "Notes", ...decided });
    expect((await eventsOf(clientId)).map(({ type, data }) => ({ type, data })).slice(1)).toEqual([
      { type: "client_document.changed", data: { fields: ["name", "redirectUris"] } },
    ]);
  });

  test("that was not used for a while is fetched before it counts", async () => {
    const path = newPath();
    const clientId = publisher.publishClient(path);
    await authorize(clientId);
    publisher.publishClient(path, { redirect_uris: ["https://notes.example/cb"] });
    server.clock.advance(300 + 3600);
    expect((await authorize(clientId)).status).toBe(400);
    expect(publisher.requests(path)).toHaveLength(2);
  });

  const isAway: readonly { name: string; away: Parameters<ClientPublisher["publish"]>[1] }[] = [
    { name: "an error", away: { status: 503 } },
    { name: "too many requests", away: { status: 429 } },
    { name: "a cut connection", away: (response) => response.destroy() },
  ];

  test.each(isAway)("that is away ($name) counts as it was, for two days", async ({ away }) => {
    const path = newPath();
    const clientId = publisher.publishClient(path);
    await authorize(clientId);
    publisher.publish(path, away);
    server.clock.advance(301);
    expect(isAsked(await authorize(clientId))).toBe(true);
    await isLookedAt(clientId);
    expect(isAsked(await authorize(clientId))).toBe(true);
    expect(isAsked(await authorize(clientId, { at: other }))).toBe(true);
    // It is left alone for the next five minutes.
    expect(publisher.requests(path)).toHaveLength(2);
    server.clock.advance(24 * 3600);
    expect(isAsked(await authorize(clientId))).toBe(true);
    server.clock.advance(24 * 3600);
    expect(await authorize(clientId)).toMatchObject({ status: 503, retryAfter: "30" });
    publisher.publishClient(path);
    expect(isAsked(await authorize(clientId))).toBe(true);
  });

  test("that does not answer holds up no request", async () => {
    const path = newPath();
    const clientId = publisher.publishClient(path);
    await authorize(clientId);
    const waiting: ServerResponse[] = [];
    publisher.publish(path, (response) => void waiting.push(response));
    server.clock.advance(301);
    expect(isAsked(await authorize(clientId))).toBe(true);
    expect(isAsked(await authorize(clientId))).toBe(true);
    await eventually(() => expect(waiting).toHaveLength(1));
    waiting[0]?.destroy();
    await isLookedAt(clientId);
    expect(isAsked(await authorize(clientId))).toBe(true);
    expect(publisher.requests(path)).toHaveLength(2);
  });

  test.each<{ name: string; reason: string; said: Parameters<ClientPublisher["publish"]>[1] }>([
    { name: "not found", reason: "document_status", said: { status: 404 } },
    { name: "gone", reason: "document_status", said: { status: 410 } },
    {
      name: "a redirect",
      reason: "document_redirect",
      said: { status: 302, headers: { location: "https://evil.example/" } },
    },
    {
      name: "something else",
      reason: "document_type",
      said: { body: "<!doctype html>", headers: { "content-type": "text/html" } },
    },
  ])(
    "whose address says something else ($name) counts no longer, in no process",
    async ({ reason, said }) => {
      const path = newPath();
      const clientId = publisher.publishClient(path);
      await authorize(clientId);
      await authorize(clientId, { at: other });
      publisher.publish(path, said);
      server.clock.advance(301 + 3600);
      expect(await authorize(clientId)).toMatchObject({ status: 400, retryAfter: undefined });
      expect((await authorize(clientId, { at: other })).status).toBe(400);
      expect((await eventsOf(clientId)).at(-1)).toMatchObject({ data: { reason } });
      // What it said before does not come back while its address is away.
      publisher.publish(path, { status: 503 });
      expect((await authorize(clientId)).status).toBe(503);
      publisher.publishClient(path);
      expect(isAsked(await authorize(clientId))).toBe(true);
    },
  );

  test("with keys elsewhere has both fetched, each time", async () => {
    const { publicJwk } = await generateEs256KeyPair();
    const second = await generateEs256KeyPair();
    const [path, keysPath] = [newPath(), newPath()];
    const set = (...keys: object[]) => ({ body: { keys } });
    const jwksUri = publisher.publish(keysPath, set({ ...publicJwk, kid: "one" }));
    const clientId = publisher.publishClient(
      path,
      {
        token_endpoint_auth_method: "private_key_jwt",
        jwks_uri: jwksUri,
        redirect_uris: ["https://notes.example/cb"],
      },
      { etag: '"same"', "cache-control": "max-age=86400" },
    );
    const redirect = "https://notes.example/cb";
    expect(isAsked(await authorize(clientId, { redirect }))).toBe(true);
    const kids = async () => (await server.context.store.clients.find(clientId))?.keys.map(({ kid }) => kid);
    expect(await kids()).toEqual(["one"]);
    publisher.publish(keysPath, set({ ...second.publicJwk, kid: "two" }));
    server.clock.advance(3600);
    expect(isAsked(await authorize(clientId, { redirect }))).toBe(true);
    expect(await kids()).toEqual(["two"]);
    expect((await eventsOf(clientId)).at(-1)).toMatchObject({ data: { fields: ["keys"] } });
  });
});

describe("keys", () => {
  const redirect = "https://notes.example/cb";

  async function publishKeys(inDocument: boolean) {
    const { publicJwk } = await generateEs256KeyPair();
    const [path, keysPath] = [newPath(), newPath()];
    const change = (...keys: object[]) => {
      const common = { token_endpoint_auth_method: "private_key_jwt", redirect_uris: [redirect] };
      const jwksUri = publisher.publish(keysPath, { body: { keys } });
      const keyed = inDocument ? { jwks: { keys } } : { jwks_uri: jwksUri };
      return publisher.publishClient(path, { ...common, ...keyed }, { "cache-control": "max-age=86400" });
    };
    const clientId = change({ ...publicJwk, kid: "one" });
    expect(isAsked(await authorize(clientId, { redirect }))).toBe(true);
    return { clientId, place: inDocument ? path : keysPath, withdraw: () => change() };
  }

  const places = [
    { where: "in the document", inDocument: true },
    { where: "at an address of their own", inDocument: false },
  ];

  test.each(places)("$where that are withdrawn count for an hour at most", async ({ inDocument }) => {
    const { clientId, withdraw } = await publishKeys(inDocument);
    withdraw();
    server.clock.advance(1801);
    expect(isAsked(await authorize(clientId, { redirect }))).toBe(true);
    await eventually(async () =>
      expect((await eventsOf(clientId)).at(-1)).toMatchObject({ data: { reason: "document_keys" } }),
    );
    await eventually(async () => expect((await authorize(clientId, { redirect })).status).toBe(400));
  });

  test.each(places)("$where that are away count for an hour", async ({ inDocument }) => {
    const { clientId, place } = await publishKeys(inDocument);
    publisher.publish(place, { status: 503 });
    server.clock.advance(1801);
    expect(isAsked(await authorize(clientId, { redirect }))).toBe(true);
    await isLookedAt(clientId);
    server.clock.advance(1798);
    expect(isAsked(await authorize(clientId, { redirect }))).toBe(true);
    server.clock.advance(1);
    expect(await authorize(clientId, { redirect })).toMatchObject({ status: 503, retryAfter: "30" });
  });
});

describe("a document is refused, with a page, one line of the log and an event", () => {
  const document = (path: string) => usualDocument(`${publisher.origin}${path}`);

  test.each<{
    name: string;
    reason: string;
    publish: (path: string) => Parameters<ClientPublisher["publish"]>[1];
  }>([
    {
      name: "too large",
      reason: "document_too_large",
      publish: (path) => ({ body: { ...document(path), padding: "x".repeat(5 * 1024) } }),
    },
    {
      name: "endless",
      reason: "document_too_large",
      publish: () => (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = () => {
          while (response.write(" ".repeat(1024)));
        };
        response.on("drain", more);
        more();
      },
    },
    {
      name: "redirecting",
      reason: "document_redirect",
      publish: (path) => ({ status: 302, headers: { location: `${publisher.origin}${path}.real` } }),
    },
    { name: "not found", reason: "document_status", publish: () => ({ status: 404 }) },
    { name: "an answer without content", reason: "document_status", publish: () => ({ status: 204 }) },
    {
      name: "unchanged although it is not stored",
      reason: "document_status",
      publish: () => ({ status: 304 }),
    },
    {
      name: "a page",
      reason: "document_type",
      publish: (path) => ({ body: document(path), headers: { "content-type": "text/html" } }),
    },
    {
      name: "compressed",
      reason: "document_type",
      publish: (path) => ({ body: document(path), headers: { "content-encoding": "gzip" } }),
    },
    {
      name: "another client_id",
      reason: "document_client_id",
      publish: () => ({ body: document("/other.json") }),
    },
    {
      name: "a secret inside",
      reason: "document_secret",
      publish: (path) => ({ body: { ...document(path), client_secret: "x" } }),
    },
    {
      name: "script in its name",
      reason: "document_name",
      publish: (path) => ({ body: { ...document(path), client_name: "<script>alert(1)</script>" } }),
    },
    {
      name: "a member twice",
      reason: "document_malformed",
      publish: (path) => ({ body: `{"client_id":"x",${JSON.stringify(document(path)).slice(1)}` }),
    },
    {
      name: "keys at an address that is private",
      reason: "document_keys",
      publish: (path) => ({
        body: {
          ...document(path),
          token_endpoint_auth_method: "private_key_jwt",
          jwks_uri: "https://10.0.0.1/jwks",
        },
      }),
    },
  ])("$name: $reason", async ({ reason, publish }) => {
    const path = newPath();
    const clientId = publisher.publish(path, publish(path));
    const before = server.log.length;
    const answer = await authorize(clientId);
    expect(answer.status).toBe(400);
    expect(answer.html).toContain("This sign-in cannot start");
    const isAway = reason === "document_unreachable";
    expect(answer.html.includes("outbound access")).toBe(isAway);
    expect(answer.html.includes("its latest version")).toBe(!isAway);
    expect(answer.html).not.toContain("<script");
    const lines = server.log.slice(before).filter(({ code }) => code === "CLIENT_DOCUMENT_REFUSED");
    expect(lines).toMatchObject([{ level: 40, clientId, host: publisher.host, reason }]);
    expect(await eventsOf(clientId)).toEqual([
      { type: "client_document.refused", outcome: "denied", data: { host: publisher.host, reason } },
    ]);
    expect(await server.context.store.clients.find(clientId)).toBeUndefined();
    // What is wrong is never kept: the next request looks again.
    publisher.publishClient(path);
    expect(isAsked(await authorize(clientId))).toBe(true);
  });

  test.each<{ name: string; reason: string; away: Parameters<ClientPublisher["publish"]>[1] }>([
    { name: "an error", reason: "document_unavailable", away: { status: 500 } },
    {
      name: "a cut connection",
      reason: "document_unreachable",
      away: (response) => response.destroy(),
    },
    { name: "slow", reason: "document_timeout", away: () => undefined },
  ])("for now, with 503, while its publisher is away: $name", async ({ reason, away }) => {
    const path = newPath();
    const clientId = publisher.publish(path, away);
    const at = reason === "document_timeout" ? impatient : server;
    expect(await authorize(clientId, { at })).toMatchObject({ status: 503, retryAfter: "30" });
    expect(await eventsOf(clientId)).toMatchObject([{ data: { reason } }]);
    publisher.publish(path, { status: 503 });
    const answer = await post("/api/oauth/token", {
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: "A".repeat(43),
    });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers["retry-after"]).toBe("30");
    expect(answer.json()).toMatchObject({ error: "temporarily_unavailable" });
    publisher.publishClient(path);
    expect(isAsked(await authorize(clientId))).toBe(true);
  });

  test.each([
    { clientId: "https://10.0.0.1/app.json" },
    { clientId: "https://169.254.169.254/latest/meta-data" },
    { clientId: "https://[fd00::1]/app.json" },
  ])("a private address: $clientId", async ({ clientId }) => {
    await server.context.store.settings.save({ appTrust: "any" }, new Date(server.clock()));
    expect((await authorize(clientId)).status).toBe(400);
    expect(await eventsOf(clientId)).toMatchObject([{ data: { reason: "forbidden_address" } }]);
  });

  test.each([
    "https://аpple.example/app.json",
    "https://apps.example/a/../app.json",
    "https://apps.example",
    "http://apps.example/app.json",
    "urn:app",
  ])("an invalid address, without any request: %s", async (clientId) => {
    await server.context.store.settings.save({ appTrust: "any" }, new Date(server.clock()));
    const answer = await authorize(clientId);
    expect(answer.status).toBe(400);
    expect(answer.html).toContain("is not the address of a metadata document");
  });

  test("with the words that its publisher needs, at the endpoints of programs", async () => {
    const clientId = publisher.publishClient(newPath(), { client_secret: "x" });
    const answer = await post("/api/oauth/par", { client_id: clientId });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({
      error: "invalid_client",
      error_description: "The metadata document of the client contains a secret.",
    });
  });
});

describe("a token request of an app with a document", () => {
  const ask = (clientId: string, at: Pick<Server, "app"> = server) =>
    post(
      "/api/oauth/token",
      {
        grant_type: "refresh_token",
        client_id: clientId,
        refresh_token: "A".repeat(43),
      },
      at,
    );

  test("looks at the document only when it has run out, and gets by while it is away", async () => {
    const path = newPath();
    const clientId = publisher.publishClient(path);
    expect((await ask(clientId)).json()).toMatchObject({ error: "invalid_grant" });
    expect((await ask(clientId)).json()).toMatchObject({ error: "invalid_grant" });
    expect((await ask(clientId, other)).json()).toMatchObject({ error: "invalid_grant" });
    expect(publisher.requests(path)).toHaveLength(1);
    publisher.publish(path, { status: 500 });
    server.clock.advance(301);
    expect((await ask(clientId)).json()).toMatchObject({ error: "invalid_grant" });
    await isLookedAt(clientId);
    expect((await ask(clientId)).json()).toMatchObject({ error: "invalid_grant" });
    expect(publisher.requests(path)).toHaveLength(2);
  });

  test("is refused once its host is no longer allowed, in every process", async () => {
    const clientId = publisher.publishClient(newPath());
    expect((await ask(clientId)).json()).toMatchObject({ error: "invalid_grant" });
    expect((await ask(clientId, other)).json()).toMatchObject({ error: "invalid_grant" });
    const { store } = server.context;
    const decide = (allowed: boolean) =>
      store.transaction(async (tx) => {
        const at = new Date(server.clock());
        await tx.appHosts.save({ host: publisher.host, name: "Notes", allowed }, at);
        await tx.clients.judgeTrust(at);
      });
    await decide(false);
    expect((await ask(clientId)).json()).toMatchObject({ error: "invalid_client" });
    expect((await ask(clientId, other)).json()).toMatchObject({ error: "invalid_client" });
    await decide(true);
    expect((await ask(clientId)).json()).toMatchObject({ error: "invalid_grant" });
  });
});

describe("strangers cannot fill the table", () => {
  const someone = randomUUID();
  beforeAll(async () => {
    await server.database.query(
      "INSERT INTO users (id, email, name) VALUES ($1, 'eve@acme.example', 'Eve')",
      [someone],
    );
  });

  test("the oldest app of a host that people are not signed in with makes room, however often it is asked for", async () => {
    await server.database.query("DELETE FROM clients WHERE source = 'metadata_document'");
    const ids: string[] = [];
    for (let index = 0; index < 52; index += 1) {
      ids.push(publisher.publishClient(newPath()));
      expect(isAsked(await authorize(ids.at(-1) ?? ""))).toBe(true);
      server.clock.advance(2);
    }
    const rows = await server.database.query<{ id: string }>(
      "SELECT id FROM clients WHERE source = 'metadata_document' ORDER BY created_at",
    );
    expect(rows.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  test("and while people are signed in with all of them, the next one waits", async () => {
    await server.database.query(
      `INSERT INTO grants (id, user_id, client_id, scopes, amr, created_at, expires_at)
       SELECT gen_random_uuid(), $1, id, '{}', '{}', now(), now() + interval '1 day'
       FROM clients WHERE source = 'metadata_document'`,
      [someone],
    );
    const answer = await authorize(publisher.publishClient(newPath()));
    expect(answer.status).toBe(503);
    await server.database.query("DELETE FROM clients WHERE source = 'metadata_document'");
  });
});

describe("strangers cannot use up what others need", () => {
  /** Begins requests for documents that do not answer. Returns what ends them. */
  async function hang(from: readonly string[]) {
    const waiting: ServerResponse[] = [];
    const begun = from.map((address) => {
      const clientId = publisher.publish(newPath(), (response) => void waiting.push(response));
      return authorize(clientId, { address });
    });
    // Connections to one host come one after the other.
    await eventually(() => expect(waiting).toHaveLength(Math.min(begun.length, 8)));
    return async () => {
      while ((await Promise.race([Promise.all(begun), delay(20)])) === undefined)
        for (const response of waiting.splice(0)) response.destroy();
      return (await Promise.all(begun)).map(({ status }) => status);
    };
  }

  test("one address has few fetches at a time, and others have theirs", async () => {
    const address = newAddress();
    const end = await hang(Array.from({ length: 4 }, () => address));
    expect(await authorize(publisher.publishClient(newPath()), { address })).toMatchObject({ status: 503 });
    expect(isAsked(await authorize(publisher.publishClient(newPath())))).toBe(true);
    expect(await end()).toEqual(Array.from({ length: 4 }, () => 503));
  });

  test("apps that are known go on while fetches of all others hang", async () => {
    server.clock.advance(120);
    const [known, forgotten] = [publisher.publishClient(newPath()), publisher.publishClient(newPath())];
    expect(isAsked(await authorize(known))).toBe(true);
    expect(isAsked(await authorize(forgotten))).toBe(true);
    server.clock.advance(300 + 3600);
    const end = await hang(Array.from({ length: 24 }, newAddress));
    expect((await authorize(publisher.publishClient(newPath()))).status).toBe(503);
    const answers = Promise.all([authorize(known), authorize(forgotten)]);
    await end();
    expect((await answers).every(isAsked)).toBe(true);
  });

  test("an app that is kept counts when there is no place for its fetch", async () => {
    server.clock.advance(120);
    const ids = Array.from({ length: 9 }, () => publisher.publishClient(newPath()));
    const address = newAddress();
    expect((await Promise.all(ids.map((id) => authorize(id)))).every(isAsked)).toBe(true);
    server.clock.advance(300 + 3600);
    const waiting: ServerResponse[] = [];
    for (const id of ids) publisher.publish(new URL(id).pathname, (response) => void waiting.push(response));
    const begun = ids.slice(0, 8).map((id) => authorize(id, { address }));
    await eventually(() => expect(waiting).toHaveLength(8));
    expect(isAsked(await authorize(ids[8] ?? "", { address }))).toBe(true);
    for (const response of waiting) response.destroy();
    expect((await Promise.all(begun)).every(isAsked)).toBe(true);
  });

  test("one address fetches ten a minute, and uses up nothing that is another's", async () => {
    server.clock.advance(120);
    const [path, address] = [newPath(), newAddress()];
    const clientId = publisher.publish(path, { status: 500 });
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1)
      statuses.push((await authorize(clientId, { address })).status);
    expect(publisher.requests(path)).toHaveLength(10);
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect(isAsked(await authorize(publisher.publishClient(newPath())))).toBe(true);
  });

  test("no host is asked without end, and its apps that are known are still looked at", async () => {
    server.clock.advance(120);
    const known = publisher.publishClient(newPath());
    expect(isAsked(await authorize(known))).toBe(true);
    server.clock.advance(300 + 3600);
    const path = newPath();
    const clientId = publisher.publish(path, { status: 500 });
    const statuses: number[] = [];
    for (let index = 0; index < 62; index += 1) statuses.push((await authorize(clientId)).status);
    expect(publisher.requests(path)).toHaveLength(60);
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect(isAsked(await authorize(known))).toBe(true);
    expect(publisher.requests(new URL(known).pathname)).toHaveLength(2);
  });
});

describe("the audit trail has a bound", () => {
  test("for apps that one address brings, and for changes of one host", async () => {
    await server.database.query("DELETE FROM clients WHERE source = 'metadata_document'");
    const { store } = server.context;
    const refusals = server.context.refusals as Refusals;
    server.clock.advance(3600);
    const at = () => new Date(server.clock());
    const address = newAddress();
    const events = async () =>
      await server.database.query<{ type: string; data: Record<string, unknown> }>(
        "SELECT type, data FROM audit_events WHERE at >= $1 AND type LIKE ANY ('{client%,events%}') ORDER BY id",
        [new Date(hour)],
      );
    const hour = server.clock();
    for (let index = 0; index < refusalLimits.address - 1; index += 1)
      await refusals.from(address).admit({
        type: "client.registered",
        outcome: "success",
        actor: { type: "system" },
        at: at(),
        clientId: `dynamic-${index}`,
        data: { source: "dynamic_registration", name: "App", redirectUris: [] },
      });
    const ids = Array.from({ length: 3 }, () => publisher.publishClient(newPath()));
    for (const clientId of ids) expect(isAsked(await authorize(clientId, { address }))).toBe(true);
    expect((await events()).map(({ type }) => type)).toEqual(["client.registered"]);
    expect(await Promise.all(ids.map((id) => store.clients.find(id)))).not.toContain(undefined);
    await refusals.run();
    server.clock.advance(3600 + 180);
    await refusals.run();
    expect((await events()).at(-1)).toMatchObject({
      type: "events.counted",
      data: { event: "client.registered", count: 2, address },
    });
  });
});
