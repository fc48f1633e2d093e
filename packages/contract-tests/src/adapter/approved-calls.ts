import { randomUUID } from "node:crypto";
import { createProofSigner, generateEs256KeyPair, type ProofSigner } from "@authz/dpop";
import { type AuthorizationDetail, grantDetail } from "@authz/dpop/approval";
import { type JsonObject, parseCompactJws } from "@authz/dpop/jws";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { StartAdapter } from "./contract-app.js";
import { type Fixture, type HeaderLine, headerLines, publicOrigin, signed, withFixture } from "./fixture.js";
import type { RawRequest, RawResponse } from "./raw-request.js";
import {
  deniedApproval,
  impossibleApproval,
  ofOpenRoute,
  invalidToken,
  unavailable,
  visible,
} from "./refusals.js";

const target = "/api/payments?to=17&from=4";
const body = '{"amount":5,"to":"Bob"}';
const json: HeaderLine = ["Content-Type", "application/json"];
const bound: readonly HeaderLine[] = [
  ["Idempotency-Key", "k-1"],
  ["If-Match", '"1"'],
];
const takesChallenges: HeaderLine = ["Accept-Txn-Challenge", "?1"];

/** One payment; each test changes one thing about it. */
interface Payment {
  readonly method?: string;
  readonly target?: string;
  readonly body?: string;
  readonly bound?: readonly HeaderLine[];
  readonly extra?: readonly HeaderLine[];
  readonly subject?: string;
  readonly challenge?: string;
}

async function pay(fixture: Fixture, payment: Payment = {}): Promise<RawRequest> {
  const { method = "POST", subject = "ada", challenge, extra = [] } = payment;
  const url = payment.target ?? target;
  const identified = { method, url, subject, ...(challenge !== undefined && { challenge }) };
  const request = await signed(fixture, identified);
  const type = payment.body === "" ? [] : [json];
  const headers = [...(request.headers ?? []), ...type, ...(payment.bound ?? bound), ...extra];
  return { ...request, headers, body: payment.body ?? body };
}

async function challengeOf(fixture: Fixture, payment: Payment = {}): Promise<string> {
  const request = await pay(fixture, { ...payment, extra: [takesChallenges] });
  const { status, headers } = await fixture.send(request);
  expect(status).toBe(401);
  const [line = ""] = headers.get("www-authenticate") ?? [];
  const form =
    /^DPoP error="transaction_authorization_required", transaction_challenge="([\w.-]+)", resource_metadata="[^"]+"$/;
  const challenge = form.exec(line)?.[1];
  if (challenge === undefined) throw new Error(`No challenge: ${line}`);
  return challenge;
}

function approve(fixture: Fixture, { method = "POST", ...payment }: Payment = {}): void {
  fixture.issuer.approve({ method, url: payment.target ?? target });
}

function parse({ body: text }: RawResponse): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

const page = "https://issuer.test/approve/";

/** Whether a person is asked, with the page to open. */
function expectPage(response: RawResponse): void {
  const { error, error_description: description, authorization_uri: uri, ...others } = parse(response);
  expect({ status: response.status, error, ...others }).toEqual({
    status: 403,
    error: "transaction_authorization_required",
    expires_in: 600,
  });
  expect(String(uri).startsWith(page)).toBe(true);
  expect(description).toBe(
    `A person has to approve this call first. Ask the user to open ${String(uri)} within 10 minutes and answer there. After that, make exactly the same call again: it works once.`,
  );
  expect(String(description).split(" ").length).toBeLessThanOrEqual(60);
  expect(visible(response)).toMatchObject({
    challenges: [],
    contentType: "application/json",
    cacheControl: "no-store",
  });
}

/** Calls that need a person's approval. */
export function describeApprovedCalls(start: StartAdapter): void {
  describe("a call that needs approval", () => {
    const fixture = withFixture(start);
    afterEach(() => void fixture().takeEntered());

    describeClientsWithoutChallenges(fixture);
    describeChallenges(fixture);
    describeOtherCalls(fixture);
    describeUnapprovable(fixture);
  });

  describe("without the authorization server, a call that needs approval", () => {
    const fixture = withFixture(start, { approvals: () => Promise.reject(new Error("No route.")) });

    it("is refused until it answers", async () => {
      expect(visible(await fixture().send(await pay(fixture())))).toEqual(unavailable);
      expect(fixture().takeEntered()).toEqual([]);
    });
  });
}

type Running = () => Fixture;

function describeClientsWithoutChallenges(fixture: Running): void {
  it("is carried out once after its person approved it, and then asks anew", async () => {
    expectPage(await fixture().send(await pay(fixture())));
    expectPage(await fixture().send(await pay(fixture())));
    expect(fixture().takeEntered()).toEqual([]);
    approve(fixture());
    const done = await fixture().send(await pay(fixture()));
    expect(done.status).toBe(200);
    expect(parse(done)).toMatchObject({
      approvedBy: "ada",
      details: {
        type: "payment",
        actions: ["pay"],
        content: { amount: 5, to: "Bob" },
        content_digest: expect.stringMatching(/^sha-256=:.{44}:$/),
      },
    });
    expect(fixture().takeEntered()).toEqual(["/api/payments"]);
    expectPage(await fixture().send(await pay(fixture())));
    expect(fixture().takeEntered()).toEqual([]);
  });

  it("is refused when its person declined it", async () => {
    const other = { target: "/api/payments?declined" };
    expectPage(await fixture().send(await pay(fixture(), other)));
    fixture().issuer.decline({ method: "POST", url: other.target });
    expect(visible(await fixture().send(await pay(fixture(), other)))).toEqual(deniedApproval);
    expect(fixture().takeEntered()).toEqual([]);
  });

  it("is approved for its person and app only", async () => {
    const mine = { target: "/api/payments?mine" };
    expectPage(await fixture().send(await pay(fixture(), mine)));
    approve(fixture(), mine);
    expectPage(await fixture().send(await pay(fixture(), { ...mine, subject: "grace" })));
    const app = await fixture().issuer.signRequest({
      method: "POST",
      url: mine.target,
      subject: "ada",
      app: "another",
    });
    const headers = [...headerLines(app), json, ...bound];
    expectPage(await fixture().send({ method: "POST", target: mine.target, headers, body }));
    expect(fixture().takeEntered()).toEqual([]);
    expect((await fixture().send(await pay(fixture(), mine))).status).toBe(200);
  });

  const notTaken: readonly (readonly HeaderLine[])[] = [
    [["Accept-Txn-Challenge", "?0"]],
    [["Accept-Txn-Challenge", "1"]],
    [["Accept-Txn-Challenge", "true"]],
    [["Accept-Txn-Challenge", "?1, ?1"]],
    [takesChallenges, takesChallenges],
  ];

  it.each(notTaken.map((extra) => ({ extra })))("gets no challenge with $extra", async ({ extra }) => {
    expectPage(await fixture().send(await pay(fixture(), { extra })));
    expect(fixture().takeEntered()).toEqual([]);
  });
}

function describeChallenges(fixture: Running): void {
  it("is challenged for a client that takes challenges, and passes with the token of the challenge, once", async () => {
    const challenge = await challengeOf(fixture());
    const { payload } = parseCompactJws(challenge, { maxBytes: 4096 });
    expect(payload).toMatchObject({
      iss: `${publicOrigin}/api`,
      aud: "https://issuer.test",
      sub: "ada",
      act: { sub: "authz-cli" },
      htm: "POST",
      htu: publicOrigin + target,
      reason: "Payments cannot be undone.",
    });
    expect((await fixture().send(await pay(fixture(), { challenge }))).status).toBe(200);
    expect(fixture().takeEntered()).toEqual(["/api/payments"]);
    expect(visible(await fixture().send(await pay(fixture(), { challenge })))).toEqual(
      ofOpenRoute(invalidToken),
    );
    expect(fixture().takeEntered()).toEqual([]);
  });

  it("is challenged with parameters of the header, which are ignored", async () => {
    const extra: readonly HeaderLine[] = [["Accept-Txn-Challenge", "?1;v=2"]];
    expect((await fixture().send(await pay(fixture(), { extra }))).status).toBe(401);
  });

  it("is executed once by 64 concurrent uses of one approval", async () => {
    const challenge = await challengeOf(fixture());
    const requests = await Promise.all(
      Array.from({ length: 64 }, async () => await pay(fixture(), { challenge })),
    );
    const answers = await Promise.all(requests.map(async (request) => await fixture().send(request)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(63);
    expect(fixture().takeEntered()).toEqual(["/api/payments"]);
  });
}

const writeScope = 'scope="contracts:write"';
/** Refused in front of the body parser. */
const otherCall = {
  ...invalidToken,
  challenges: invalidToken.challenges.map((line) => line.replace('scope="contracts:read"', writeScope)),
};
/** Refused by the guard, which reads the body. */
const otherContent = ofOpenRoute(invalidToken);

function describeOtherCalls(fixture: Running): void {
  const early: readonly (Payment & { readonly name: string })[] = [
    { name: "another method", method: "DELETE" },
    { name: "another path", target: "/api/transfers?to=17&from=4" },
    { name: "another query", target: "/api/payments?to=18&from=4" },
    { name: "its query in another order", target: "/api/payments?from=4&to=17" },
    {
      name: "another Idempotency-Key",
      bound: [
        ["Idempotency-Key", "k-2"],
        ["If-Match", '"1"'],
      ],
    },
    { name: "no Idempotency-Key", bound: [["If-Match", '"1"']] },
    {
      name: "another header that the guard names",
      bound: [
        ["Idempotency-Key", "k-1"],
        ["If-Match", '"2"'],
      ],
    },
  ];

  it.each(early)("does not pass with $name", async (change) => {
    const challenge = await challengeOf(fixture());
    expect(visible(await fixture().send(await pay(fixture(), { challenge, ...change })))).toEqual(otherCall);
    expect(fixture().takeEntered()).toEqual([]);
    expect((await fixture().send(await pay(fixture(), { challenge }))).status).toBe(200);
  });

  const late: readonly (Payment & { readonly name: string })[] = [
    { name: "another byte in the body", body: `${body} ` },
    { name: "another value in the body", body: body.replace("5", "6") },
    { name: "no body", body: "" },
  ];

  it.each(late)("does not pass with $name", async (change) => {
    const challenge = await challengeOf(fixture());
    expect(visible(await fixture().send(await pay(fixture(), { challenge, ...change })))).toEqual(
      otherContent,
    );
    expect(fixture().takeEntered()).toEqual([]);
  });

  it("does not pass when its details have changed", async () => {
    const challenge = await challengeOf(fixture());
    fixture().changeDetails();
    expect(visible(await fixture().send(await pay(fixture(), { challenge })))).toEqual(otherContent);
    expect(fixture().takeEntered()).toEqual([]);
  });

  it("that needs none any more does not pass with a token for one call", async () => {
    const challenge = await challengeOf(fixture());
    fixture().changeDetails("none");
    expect(visible(await fixture().send(await pay(fixture(), { challenge })))).toEqual(otherContent);
    fixture().changeDetails();
    expect(fixture().takeEntered()).toEqual([]);
  });

  it("opens no other route with its token", async () => {
    const challenge = await challengeOf(fixture());
    const me = await signed(fixture(), { url: "/api/me", challenge });
    expect(visible(await fixture().send(me))).toEqual(ofOpenRoute(invalidToken));
    expect(fixture().takeEntered()).toEqual([]);
  });

  describeForeignTokens(fixture);
}

const now = (): number => Math.floor(Date.now() / 1000);

/** One claim of the token that is not the challenge's. */
const foreignTokens: readonly { readonly name: string; readonly claims: JsonObject }[] = [
  { name: "another person", claims: { sub: "grace" } },
  { name: "another app", claims: { client_id: "another", act: { sub: "another" } } },
  { name: "another session", claims: { sid: randomUUID() } },
  { name: "no session", claims: { sid: undefined } },
  { name: "another service", claims: { aud: "https://other.example/api" } },
  { name: "the end of its time", claims: { iat: now() - 200, exp: now() - 80 } },
  { name: "another transaction", claims: { txn: `${"A".repeat(22)}.${"A".repeat(43)}` } },
  { name: "a malformed transaction", claims: { txn: "1" } },
  { name: "details but no transaction", claims: { txn: undefined } },
  { name: "a transaction but no details", claims: { authorization_details: undefined } },
];

function describeForeignTokens(fixture: Running): void {
  let signer: ProofSigner;
  beforeAll(async () => {
    signer = createProofSigner(await generateEs256KeyPair());
  });

  async function withToken(claims: JsonObject): Promise<RawRequest> {
    const { payload } = parseCompactJws(await challengeOf(fixture()), { maxBytes: 4096 });
    const { sid, act, txn, authorization_details: details } = payload;
    const [detail] = details as readonly [AuthorizationDetail];
    const granted = grantDetail(detail, { approvedBy: "ada", approvedAt: now() });
    const accessToken = fixture().issuer.issueUserToken({
      subject: "ada",
      app: "authz-cli",
      thumbprint: signer.thumbprint,
      claims: { sid, act, txn, authorization_details: [granted], ...claims },
    });
    const dpop = signer.sign({ method: "POST", url: `${publicOrigin}/api/payments`, accessToken });
    const headers = [...headerLines({ authorization: `DPoP ${accessToken}`, dpop }), json, ...bound];
    return { method: "POST", target, headers, body };
  }

  it("passes with a token that differs in nothing", async () => {
    expect((await fixture().send(await withToken({}))).status).toBe(200);
  });

  it.each(foreignTokens)("does not pass with the token of $name", async ({ claims }) => {
    expect(visible(await fixture().send(await withToken(claims)))).toEqual(otherCall);
    expect(fixture().takeEntered()).toEqual([]);
  });

  it("does not pass with a token whose details are others", async () => {
    const other = { type: "payment", approved_by: "ada", approved_at: now() };
    const request = await withToken({ authorization_details: [other] });
    expect(visible(await fixture().send(request))).toEqual(otherCall);
    expect(fixture().takeEntered()).toEqual([]);
  });
}

function describeUnapprovable(fixture: Running): void {
  it("of a machine cannot be approved", async () => {
    const request = await fixture().issuer.signRequest({ method: "POST", url: target, machine: "robot" });
    const headers = [...headerLines(request), json, ...bound];
    const answer = await fixture().send({ method: "POST", target, headers, body });
    expect(visible(answer)).toEqual(impossibleApproval);
    expect(fixture().takeEntered()).toEqual([]);
  });

  const malformed: readonly (Payment & { readonly name: string })[] = [
    { name: "the same member twice", body: '{"amount":1,"amount":5}' },
    { name: "a number that is not exact", body: '{"amount":9007199254740993}' },
    { name: "X-HTTP-Method-Override", extra: [["X-HTTP-Method-Override", "PUT"]] },
  ];

  it.each(malformed)("with $name is malformed", async (change) => {
    const answer = await fixture().send(await pay(fixture(), change));
    expect({ status: answer.status, error: parse(answer)["error"] }).toEqual({
      status: 400,
      error: "invalid_request",
    });
    expect(fixture().takeEntered()).toEqual([]);
  });

  it("that needs none passes without one", async () => {
    fixture().changeDetails("none");
    const answer = await fixture().send(await pay(fixture()));
    fixture().changeDetails();
    expect(answer.status).toBe(200);
    expect(fixture().takeEntered()).toEqual(["/api/payments"]);
  });
}
