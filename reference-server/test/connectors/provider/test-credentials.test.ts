import { describe, expect, it } from "vitest";
import type { Connector, ConnectorKind } from "../../../src/store/connectors.js";
import { type Answer, createStandIn, secretText, tokens } from "./stand-in.js";

const { answers, connectorOf, origin, provider, seen } = createStandIn();

interface Case {
  readonly name: string;
  readonly kind?: ConnectorKind;
  readonly answer: Answer;
  readonly verdict: "accepted" | "refused" | "unknown";
  readonly reason: string;
  readonly said?: string;
}

const error = (code: string, description?: string) => ({ error: code, error_description: description });

const cases: readonly Case[] = [
  {
    name: "that the code is wrong",
    answer: { status: 400, body: error("invalid_grant", "No such code.") },
    verdict: "accepted",
    reason: "invalid_grant",
    said: "invalid_grant: No such code.",
  },
  {
    name: "that the client is wrong",
    answer: { status: 400, body: error("invalid_client") },
    verdict: "refused",
    reason: "invalid_client",
    said: "invalid_client",
  },
  {
    name: "401 and a code of its own",
    answer: { status: 401, body: error("access_denied", "Unauthorized") },
    verdict: "refused",
    reason: "invalid_client",
    said: "access_denied: Unauthorized",
  },
  {
    name: "401 and no JSON",
    answer: { status: 401, body: "<html>" },
    verdict: "refused",
    reason: "invalid_client",
    said: "HTTP 401",
  },
  {
    name: "that the client may not do this",
    answer: { status: 400, body: error("unauthorized_client") },
    verdict: "unknown",
    reason: "unauthorized_client",
  },
  {
    name: "that the request is wrong",
    answer: { status: 400, body: error("invalid_request") },
    verdict: "unknown",
    reason: "invalid_request",
  },
  {
    name: "with a page",
    answer: { status: 200, body: "<html>" },
    verdict: "unknown",
    reason: "invalid_answer",
    said: "HTTP 200",
  },
  {
    name: "with tokens for a code that nobody has issued",
    answer: { body: tokens },
    verdict: "unknown",
    reason: "invalid_answer",
    said: "HTTP 200",
  },
  { name: "that it fell over", answer: { status: 503 }, verdict: "unknown", reason: "no_answer" },
  { name: "that it is too often", answer: { status: 429 }, verdict: "unknown", reason: "rate_limited" },
  {
    name: "with another address",
    answer: { status: 302, headers: { location: "https://elsewhere.example" } },
    verdict: "unknown",
    reason: "invalid_answer",
  },
  {
    name: "with more than anybody reads",
    answer: { status: 400, body: error("invalid_grant", "x".repeat(100_000)) },
    verdict: "unknown",
    reason: "invalid_answer",
  },
  {
    name: "in GitHub's way that the code is wrong",
    kind: "github",
    answer: { body: error("bad_verification_code") },
    verdict: "accepted",
    reason: "invalid_grant",
  },
  {
    name: "in GitHub's way that the client is wrong",
    kind: "github",
    answer: { body: error("incorrect_client_credentials") },
    verdict: "refused",
    reason: "invalid_client",
  },
  {
    name: "in Slack's way that the code is wrong",
    kind: "slack",
    answer: { body: { ok: false, error: "invalid_code" } },
    verdict: "accepted",
    reason: "invalid_grant",
  },
  {
    name: "in Slack's way that the secret is wrong",
    kind: "slack",
    answer: { body: { ok: false, error: "bad_client_secret" } },
    verdict: "refused",
    reason: "invalid_client",
  },
  ...(["google", "microsoft-graph", "atlassian", "oauth2"] as const).map(
    (kind): Case => ({
      name: `as ${kind} does that the code is wrong`,
      kind,
      answer: { status: 400, body: error("invalid_grant") },
      verdict: "accepted",
      reason: "invalid_grant",
    }),
  ),
];

const test = (kind: ConnectorKind = "oauth2", changes: Partial<Connector> = {}) =>
  provider.testCredentials(connectorOf(kind, changes));

describe("the credentials of a connector, when the token endpoint answers", () => {
  it.each(cases)("$name", async ({ kind, answer, verdict, reason, said }) => {
    answers["/token"] = answer;
    expect(await test(kind)).toMatchObject({ verdict, reason, ...(said !== undefined && { said }) });
    expect(seen.map(({ path }) => path)).toEqual(["/token"]);
  });
});

describe("a test of credentials", () => {
  it("sends a code that nobody has issued, as a client does, and another one the next time", async () => {
    answers["/token"] = { status: 400, body: error("invalid_grant") };
    await test();
    await test();
    const sent = seen.map(({ body }) => new URLSearchParams(body));
    expect(sent[0]?.get("grant_type")).toBe("authorization_code");
    expect(sent[0]?.get("client_secret")).toBe(secretText);
    expect(sent[0]?.get("redirect_uri")).toBe("https://authz.acme.example/connections/callback/notes");
    expect(sent[0]?.get("code")).toMatch(/^[\w-]{43}$/);
    expect(sent[1]?.get("code")).not.toBe(sent[0]?.get("code"));
  });

  it.each([
    { name: "the secret", echo: () => secretText },
    { name: "the code", echo: () => new URLSearchParams(seen.at(-1)?.body).get("code") ?? "" },
  ])("shows nothing of an answer that repeats $name", async ({ echo }) => {
    await test();
    const text = echo();
    answers["/token"] = { status: 400, body: error("invalid_client", `You sent ${secretText} ${text}`) };
    expect((await test()).said).toBe("invalid_client");
  });

  it("cleans and cuts what the third party says", async () => {
    const said = `Wrong\u0000\u202E\n  ${"x".repeat(900)}`;
    answers["/token"] = { status: 400, body: error("invalid_client", said) };
    const result = await test();
    expect(result.said).toMatch(/^invalid_client: Wrong x+$/);
    expect(result.said?.length).toBe(200);
  });

  it("goes to no address that the server does not connect to", async () => {
    const result = await test("oauth2", { tokenEndpoint: "https://10.0.0.1/token" });
    expect(result).toEqual({ verdict: "unknown", reason: "unreachable", said: "forbidden_address" });
  });

  it("cannot be told when nobody answers", async () => {
    const tokenEndpoint = `${origin().replace(/:\d+$/, ":1")}/token`;
    expect(await test("oauth2", { tokenEndpoint })).toMatchObject({
      verdict: "unknown",
      reason: "unreachable",
    });
  });
});
