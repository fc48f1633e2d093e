import { createServer, IncomingMessage, request as httpRequest, type Server } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { createProofSigner, inMemory } from "@authz/dpop";
import {
  type Authz,
  type FetchRequestOverrides,
  initAuthz,
  requestFromFetch,
  requestFromNode,
  responseToFetch,
  routeRequestFromNode,
  sendNodeResponse,
} from "@authz/verify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findRoute } from "../../src/routes/find-route.js";
import { clientKey, signDraft } from "../support/jwt.js";
import {
  assertionDraft,
  baseOptions,
  issuer,
  issuerFetch,
  jwtBearer,
  publicOrigin,
  tokenEndpoint,
} from "../support/world.js";

const policy = { scopes: ["contracts:read"] };

/** The application as plain `node:http`: ten lines around the SDK. */
function nodeApplication(authz: Authz): Server {
  return createServer((request, response) => {
    void (async () => {
      if (await authz.handleNode(request, response)) return;
      const decision = await authz.decide(requestFromNode(request), policy);
      if (decision.refusal) sendNodeResponse(response, decision.refusal);
      else response.end(JSON.stringify({ requested_by: decision.auth.identity.subject }));
    })();
  });
}

/** The same application in terms of Fetch. */
async function fetchApplication(authz: Authz, request: Request): Promise<Response> {
  const answer = await authz.handleFetch(request);
  if (answer !== undefined) return answer;
  const decision = await authz.decide(requestFromFetch(request), policy);
  if (decision.refusal) return responseToFetch(decision.refusal);
  return Response.json({ requested_by: decision.auth.identity.subject });
}

let authz: Authz;
let server: Server;
let port: number;
const client = createProofSigner(clientKey);

beforeAll(async () => {
  authz = initAuthz(issuer, { ...baseOptions(), replayStore: inMemory(), fetch: issuerFetch() });
  server = nodeApplication(authz);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
});

interface Seen {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  readonly body: string;
}

const comparedHeaders = [
  "content-type",
  "cache-control",
  "www-authenticate",
  "retry-after",
  "etag",
  "access-control-allow-origin",
];

interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Repeated names stay repeated. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
}

function overNode({ method = "GET", path = "/api/contracts", headers = [], body }: Sent): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const flat = [["host", "evil.example"], ["x-forwarded-host", "evil.example"], ...headers].flat();
    const outgoing = httpRequest({ host: "127.0.0.1", port, method, path, headers: flat }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const seen = comparedHeaders.map((name) => [name, response.headers[name]] as const);
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(seen) as Seen["headers"],
          body: Buffer.concat(chunks).toString(),
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function overFetch({
  method = "GET",
  path = "/api/contracts",
  headers = [],
  body,
}: Sent): Promise<Seen> {
  const fetchHeaders = new Headers();
  for (const [name, value] of headers) fetchHeaders.append(name, value);
  const request = new Request(`https://evil.example${path}`, {
    method,
    headers: fetchHeaders,
    ...(body !== undefined && { body }),
  });
  const response = await fetchApplication(authz, request);
  const seen = comparedHeaders.map((name) => [name, response.headers.get(name) ?? undefined] as const);
  return { status: response.status, headers: Object.fromEntries(seen), body: await response.text() };
}

const form = ["content-type", "application/x-www-form-urlencoded"] as const;

async function freshToken(): Promise<string> {
  const assertion = signDraft(assertionDraft(Math.floor(Date.now() / 1000)));
  const { status, body } = await overNode({
    method: "POST",
    path: "/oauth/token",
    headers: [form, ["dpop", client.sign({ method: "POST", url: tokenEndpoint })]],
    body: new URLSearchParams({ grant_type: jwtBearer, assertion }).toString(),
  });
  expect(status).toBe(200);
  return (JSON.parse(body) as { access_token: string }).access_token;
}

async function authorized(path = "/api/contracts"): Promise<readonly (readonly [string, string])[]> {
  const accessToken = await freshToken();
  const url = publicOrigin + path;
  return [
    ["authorization", `DPoP ${accessToken}`],
    ["dpop", client.sign({ method: "GET", url, accessToken })],
  ];
}

describe.each([
  ["node:http", overNode],
  ["Fetch", overFetch],
] as const)("over %s", (_name, send) => {
  test("a protected route answers who is authorized", async () => {
    const { status, body } = await send({ headers: await authorized() });
    expect([status, body]).toEqual([200, '{"requested_by":"user-1"}']);
  });

  test("a path with two slashes needs a proof for exactly that path", async () => {
    const headers = await authorized("//api/contracts");
    expect((await send({ path: "//api/contracts", headers })).status).toBe(200);
    const other = await authorized("/api/contracts");
    expect((await send({ path: "//api/contracts", headers: other })).status).toBe(401);
  });

  test("a proof works once", async () => {
    const headers = await authorized();
    await send({ headers });
    expect(await send({ headers })).toMatchObject({
      status: 401,
      body: expect.stringContaining("invalid_dpop_proof") as unknown,
    });
  });

  test("HEAD is answered where GET is, without a body", async () => {
    const answer = await send({ method: "HEAD", path: "/.well-known/jwks.json" });
    expect([answer.status, answer.body]).toEqual([200, ""]);
  });

  test("a form that never ends is cut off", async () => {
    const body = `grant_type=${jwtBearer}&assertion=${"x".repeat(200_000)}`;
    const answer = await send({ method: "POST", path: "/oauth/token", headers: [form], body });
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining("invalid_request")]);
  });
});

describe("node:http and Fetch answer alike, byte for byte:", () => {
  const cases: readonly (Sent & { name: string })[] = [
    { name: "no credentials", headers: [] },
    { name: "another scheme", headers: [["authorization", "Basic dTpw"]] },
    { name: "a bad token", headers: [["authorization", "DPoP x"]] },
    {
      name: "two Authorization headers",
      headers: [
        ["authorization", "DPoP x"],
        ["authorization", "DPoP y"],
      ],
    },
    {
      name: "two foreign Authorization headers",
      headers: [
        ["authorization", "Basic x"],
        ["authorization", "Digest y"],
      ],
    },
    {
      name: "two DPoP headers",
      headers: [
        ["authorization", "DPoP x"],
        ["dpop", "a"],
        ["dpop", "b"],
      ],
    },
    {
      name: "a token in the query as well",
      path: "/api/contracts?access_token=x",
      headers: [["authorization", "DPoP x"]],
    },
    { name: "resource metadata", path: "/.well-known/oauth-protected-resource/api" },
    { name: "a query on the metadata", path: "/.well-known/oauth-protected-resource?x=1" },
    { name: "the key set", path: "/.well-known/jwks.json" },
    { name: "the key set, known already", path: "/.well-known/jwks.json", headers: [["if-none-match", "*"]] },
    { name: "the authorization endpoint", path: "/oauth/authorize?response_type=code" },
    { name: "an empty form", method: "POST", path: "/oauth/token", headers: [form], body: "" },
    {
      name: "a JSON body",
      method: "POST",
      path: "/oauth/token",
      headers: [["content-type", "application/json"]],
      body: "{}",
    },
    {
      name: "no content type",
      method: "POST",
      path: "/oauth/token",
      headers: [["content-type", ""]],
      body: "x",
    },
    {
      name: "another grant type",
      method: "POST",
      path: "/oauth/token",
      headers: [form],
      body: "grant_type=password",
    },
    {
      name: "another method on the token route",
      method: "PUT",
      path: "/oauth/token",
      headers: [form],
      body: "x",
    },
  ];

  test.each(cases)("$name", async (sent) => {
    expect(await overNode(sent)).toEqual(await overFetch(sent));
  });
});

test("an absolute request target over a raw connection changes nothing about the proof", async () => {
  const headers = await authorized();
  const lines = [
    "GET http://evil.example/api/contracts HTTP/1.1",
    "Host: evil.example",
    "Connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("end", () => resolve(Buffer.concat(chunks).toString()));
    socket.on("error", reject);
  });
  expect(answer).toContain("HTTP/1.1 200 OK");
});

test.each(["*", "contracts.example.com:443", "1://x", ""])("the request target %j is no route", (target) => {
  expect(findRoute(authz.routes, { method: "GET", url: target })).toBeUndefined();
});

test("a request that is for the application is left alone", async () => {
  const request = new Request(`${publicOrigin}/oauth/token/`, { method: "POST", body: "x" });
  expect(await authz.handleFetch(request)).toBeUndefined();
  expect(request.bodyUsed).toBe(false);
});

describe("a token request over Fetch whose body the application has read", () => {
  async function answerTo(overrides?: FetchRequestOverrides): Promise<unknown> {
    const body = new URLSearchParams({ grant_type: "password" });
    const request = new Request(tokenEndpoint, { method: "POST", body });
    await request.text();
    return (await authz.handleFetch(request, overrides))?.json();
  }

  test.each([
    { form: "text", body: "grant_type=password" },
    { form: "bytes", body: Buffer.from("grant_type=password") },
    { form: "fields", body: { grant_type: ["password"] } },
  ])("is understood from its $form", async ({ body }) => {
    expect(await answerTo({ body })).toMatchObject({ error: "unsupported_grant_type" });
  });

  test("is refused when nobody says what was in it", async () => {
    expect(await answerTo()).toMatchObject({ error: "invalid_request" });
  });
});

test("a token in a form that the application has read is a second token over Fetch as well", async () => {
  const request = new Request(`${publicOrigin}/api/contracts`, {
    method: "POST",
    headers: { authorization: "DPoP abc", "content-type": "application/x-www-form-urlencoded" },
  });
  const decision = await authz.decide(requestFromFetch(request, { body: { access_token: "def" } }), policy);
  expect(decision.refusal?.status).toBe(400);
});

describe("a request that no connection brought, and that has headers but no raw ones", () => {
  /** As serverless-http makes it of an event of AWS Lambda. */
  function fromEvent({ method = "GET", path = "/api/contracts", headers = [], body }: Sent): IncomingMessage {
    const message = new IncomingMessage(new Socket());
    const joined = Object.fromEntries(new Headers(headers.map(([name, value]) => [name, value])));
    Object.assign(message, { method, url: path, headers: joined });
    if (body !== undefined) message.push(body);
    message.push(null);
    return message;
  }

  test("passes with valid authorization", async () => {
    const decision = await authz.decide(requestFromNode(fromEvent({ headers: await authorized() })), policy);
    expect(decision.auth?.identity.subject).toBe("user-1");
  });

  test.each([{ twice: "authorization" }, { twice: "dpop" }])(
    "is refused with two $twice lines in one",
    async ({ twice }) => {
      const headers = await authorized();
      const more = headers.filter(([name]) => name === twice);
      const decision = await authz.decide(
        requestFromNode(fromEvent({ headers: [...headers, ...more] })),
        policy,
      );
      expect(decision.refusal?.status).toBe(twice === "authorization" ? 400 : 401);
    },
  );

  test("has a form that the token endpoint reads", async () => {
    const sent = { method: "POST", path: "/oauth/token", headers: [form], body: "grant_type=password" };
    const route = findRoute(authz.routes, { method: sent.method, url: sent.path });
    const answer = await route?.handle(await routeRequestFromNode(fromEvent(sent)));
    expect(answer?.body).toContain("unsupported_grant_type");
  });
});

test("repeated header values in an answer stay repeated in Fetch", () => {
  const response = responseToFetch({ status: 200, headers: { "set-cookie": ["a=1", "b=2"] }, body: "" });
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});
