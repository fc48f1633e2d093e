import { describe, expect, it } from "vitest";
import type { Connector, ConnectorKind } from "../../../src/store/connectors.js";
import { type Answer, createStandIn, secretText, tokens } from "./stand-in.js";

const { answers, connectorOf, origin, provider, seen } = createStandIn();

const error = (code: string, description?: string) => ({ error: code, error_description: description });
const refusal = (code: string, description?: string): Answer => ({
  status: 400,
  body: error(code, description),
});

/** `outcome`: verdict and reason. */
type Case = [name: string, answer: Answer, outcome: string, said?: string | undefined];

const cases: Case[] = [
  [
    "that the code is wrong",
    refusal("invalid_grant", "No such code."),
    "accepted invalid_grant",
    "invalid_grant: No such code.",
  ],
  ["that the client is wrong", refusal("invalid_client"), "refused invalid_client", "invalid_client"],
  [
    "401 and a code of its own",
    { status: 401, body: error("access_denied", "Unauthorized") },
    "refused invalid_client",
    "access_denied: Unauthorized",
  ],
  ["401 and no JSON", { status: 401, body: "<html>" }, "refused invalid_client", "HTTP 401"],
  ["that the client may not do this", refusal("unauthorized_client"), "unknown unauthorized_client"],
  ["that the request is wrong", refusal("invalid_request"), "unknown invalid_request"],
  ["with a page", { status: 200, body: "<html>" }, "unknown invalid_answer", "HTTP 200"],
  ["with tokens for a random code", { body: tokens }, "unknown invalid_answer", "HTTP 200"],
  ["with an internal error", { status: 503 }, "unknown no_answer"],
  ["that there are too many requests", { status: 429 }, "unknown rate_limited"],
  [
    "with a redirect",
    { status: 302, headers: { location: "https://elsewhere.example" } },
    "unknown invalid_answer",
  ],
  ["with a huge body", refusal("invalid_grant", "x".repeat(100_000)), "unknown invalid_answer"],
];

const byKind: readonly [kind: ConnectorKind, name: string, answer: Answer, outcome: string][] = [
  ["github", "code", { body: error("bad_verification_code") }, "accepted invalid_grant"],
  ["github", "client", { body: error("incorrect_client_credentials") }, "refused invalid_client"],
  ["slack", "code", { body: { ok: false, error: "invalid_code" } }, "accepted invalid_grant"],
  ["slack", "secret", { body: { ok: false, error: "bad_client_secret" } }, "refused invalid_client"],
  ["google", "code", refusal("invalid_grant"), "accepted invalid_grant"],
  ["microsoft-graph", "code", refusal("invalid_grant"), "accepted invalid_grant"],
  ["atlassian", "code", refusal("invalid_grant"), "accepted invalid_grant"],
  ["oauth2", "code", refusal("invalid_grant"), "accepted invalid_grant"],
];

const test = (kind: ConnectorKind = "oauth2", changes: Partial<Connector> = {}) =>
  provider.testCredentials(connectorOf(kind, changes));

describe("the credentials of a connector, when the token endpoint answers", () => {
  async function outcomeOf(answer: Answer, kind?: ConnectorKind) {
    answers["/token"] = answer;
    const { verdict, reason, providerMessage } = await test(kind);
    return { outcome: `${verdict} ${reason}`, providerMessage, paths: seen.map(({ path }) => path) };
  }

  it.each(cases)("%s", async (_name, answer, outcome, providerMessage) => {
    const known = { outcome, paths: ["/token"] };
    expect(await outcomeOf(answer)).toMatchObject(
      providerMessage === undefined ? known : { ...known, providerMessage },
    );
  });

  it.each(byKind)("as %s does that the %s is wrong", async (kind, _name, answer, outcome) => {
    expect(await outcomeOf(answer, kind)).toMatchObject({ outcome, paths: ["/token"] });
  });
});

describe("a test of credentials", () => {
  it("sends a random code as a client does, and another one the next time", async () => {
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
    expect((await test()).providerMessage).toBe("invalid_client");
  });

  it("cleans and cuts what the third party says", async () => {
    const providerMessage = `Wrong\u0000\u202E\n  ${"x".repeat(900)}`;
    answers["/token"] = { status: 400, body: error("invalid_client", providerMessage) };
    const result = await test();
    expect(result.providerMessage).toMatch(/^invalid_client: Wrong x+$/);
    expect(result.providerMessage?.length).toBe(200);
  });

  it("goes to no address that the server does not connect to", async () => {
    const result = await test("oauth2", { tokenEndpoint: "https://10.0.0.1/token" });
    expect(result).toEqual({
      verdict: "unknown",
      reason: "unreachable",
      providerMessage: "forbidden_address",
    });
  });

  it("is unknown without an answer", async () => {
    const tokenEndpoint = `${origin().replace(/:\d+$/, ":1")}/token`;
    expect(await test("oauth2", { tokenEndpoint })).toMatchObject({
      verdict: "unknown",
      reason: "unreachable",
    });
  });
});
