import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { createProofSigner, inMemory } from "@authz/dpop";
import {
  type FetchRequestOverrides,
  initAuthz,
  requestFromFetch,
  requestFromNode,
  responseToFetch,
  routeRequestFromNode,
} from "@authz/verify";
import { describe, expect, test } from "vitest";
import { findRoute } from "../../src/routes/find-route.js";
import { clientKey, signDraft } from "../support/jwt.js";
import {
  accessTokenDraft,
  baseOptions,
  issuer,
  issuerFetch,
  publicOrigin,
  tokenEndpoint,
} from "../support/world.js";

// That node:http and Fetch answer alike, over real HTTP, is in packages/contract-tests.

const policy = { scopes: ["contracts:read"] };
const authz = initAuthz(issuer, { ...baseOptions(), replayStore: inMemory(), fetch: issuerFetch() });
const client = createProofSigner(clientKey);

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

  test("is refused when its content is not passed on", async () => {
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
  interface Event {
    readonly method?: string;
    readonly path?: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body?: string;
  }

  function authorized(): readonly (readonly [string, string])[] {
    const accessToken = signDraft(accessTokenDraft(Math.floor(Date.now() / 1000)));
    const dpop = client.sign({ method: "GET", url: `${publicOrigin}/api/contracts`, accessToken });
    return [
      ["authorization", `DPoP ${accessToken}`],
      ["dpop", dpop],
    ];
  }

  /** As serverless-http makes it of an event of AWS Lambda. */
  function fromEvent({ method = "GET", path = "/api/contracts", headers, body }: Event): IncomingMessage {
    const message = new IncomingMessage(new Socket());
    const joined = Object.fromEntries(new Headers(headers.map(([name, value]) => [name, value])));
    Object.assign(message, { method, url: path, headers: joined });
    if (body !== undefined) message.push(body);
    message.push(null);
    return message;
  }

  test("passes with valid authorization", async () => {
    const decision = await authz.decide(requestFromNode(fromEvent({ headers: authorized() })), policy);
    expect(decision.auth?.identity.subject).toBe("user-1");
  });

  test.each([{ twice: "authorization" }, { twice: "dpop" }])(
    "is refused with two $twice lines in one",
    async ({ twice }) => {
      const headers = authorized();
      const more = headers.filter(([name]) => name === twice);
      const decision = await authz.decide(
        requestFromNode(fromEvent({ headers: [...headers, ...more] })),
        policy,
      );
      expect(decision.refusal?.status).toBe(twice === "authorization" ? 400 : 401);
    },
  );

  test("has a form that the token endpoint reads", async () => {
    const form = ["content-type", "application/x-www-form-urlencoded"] as const;
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
