import { randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";
import { importPrivateJwk, signCompactJws } from "@authz/dpop/jws";
import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { answerApproval } from "../../src/approvals/answer.js";
import { expireApprovals } from "../../src/approvals/expiry.js";
import { liftStop, setStop } from "../../src/lifecycle/stop.js";
import { revokeGrants } from "../../src/lifecycle/revoke.js";
import { clientAssertionType } from "../../src/protocol/vocabulary.js";
import type { Approval } from "../../src/store/approvals.js";
import {
  challengeClaims,
  type ChallengingService,
  serviceAssertionClaims,
  startChallengingService,
} from "../support/challenging-service.js";
import { createBrowser } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { type Answer, exchangeForm, RawDevice, tokenType } from "../support/raw-device.js";

const endpoint = "/api/oauth/transaction";
let system: OauthServer;
let service: ChallengingService;
let device: RawDevice;
let tokens: Record<string, string>;
let userId: string;
let sessionId: string;

beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  service = await startChallengingService();
  const { store } = system.server.context;
  const { resource } = system;
  await store.resources.save(
    {
      ...resource,
      resource: service.resource,
      authorizationServer: service.origin,
      requestPrefixes: [`${service.origin}/api`],
      authorizationDetailsTypes: [
        {
          type: "contract_deletion",
          title: { en: "Delete a contract" },
          members: [],
          approver: null,
          maxAgeSeconds: null,
        },
      ],
    },
    new Date(),
  );
});
afterAll(async () => {
  await service.close();
  await system.close();
});

/** Each test has a session of its own, and no app that is muted. */
beforeEach(async () => {
  await system.database.query("DELETE FROM approvals");
  device = await RawDevice.create(system.issuer);
  tokens = await device.signIn({}, createBrowser());
  ({ sub: userId, sid: sessionId } = decodeJwt<{ sub: string; sid: string }>(tokens["access_token"] ?? ""));
});

let advanced = 0;
const advance = (seconds: number) => {
  advanced += seconds;
  system.advance(seconds);
};
/** People sign in by the real time. */
afterEach(() => {
  system.advance(-advanced);
  advanced = 0;
});

type Claims = Record<string, unknown>;
const time = () => system.server.context.clock();
const claimsOf = (options: Partial<Parameters<typeof challengeClaims>[1]> = {}): Claims =>
  challengeClaims(service, { issuer: system.issuer, subject: userId, sessionId, now: time(), ...options });
const submit = async (claims: Claims, by: RawDevice = device): Promise<Answer> =>
  await by.at(time).post(endpoint, {
    client_id: "authz-cli",
    transaction_challenge: service.challenge(claims),
  });
const poll = async (id: string | undefined, headers: Record<string, string> = {}): Promise<Answer> =>
  await device
    .at(time)
    .post(endpoint, { client_id: "authz-cli", transaction_authorization_id: id }, { headers });
/** A form of the service, authenticated by its assertion. */
const asService = async (
  form: Record<string, string>,
  change: Claims = {},
  typ = "client-authentication+jwt",
) =>
  await device.post(
    endpoint,
    {
      client_assertion_type: clientAssertionType,
      client_assertion: service.challenge(
        { ...serviceAssertionClaims(service, system.issuer, time()), ...change },
        { typ },
      ),
      ...form,
    },
    { proofs: [] },
  );
const answer = async (
  id: string | undefined,
  decision: Parameters<typeof answerApproval>[1],
  server = system.server,
) => {
  const { store, directories } = server.context;
  const user = await store.users.find(userId);
  if (user === undefined) throw new Error("Ada is missing.");
  const now = new Date(time());
  const session = { authTime: now, signedInAt: now, askedAnewAt: null };
  return await answerApproval(
    id ?? "",
    decision,
    { user, session },
    { store, directories, now, requestId: "test" },
  );
};
const stateOf = async (id: string | undefined): Promise<Approval["state"] | undefined> =>
  (await system.server.context.store.approvals.find(id ?? ""))?.state;
const ask = async (options: Parameters<typeof claimsOf>[0] = {}): Promise<string | undefined> =>
  (await submit(claimsOf(options))).body["transaction_authorization_id"];
/** A token of the session for the service, so that the service has seen it. */
const reach = async () =>
  await device.token({
    client_id: "authz-cli",
    ...exchangeForm(tokens["refresh_token"], {
      authorizationServer: service.origin,
      resource: service.resource,
    }),
  });

describe("a challenge", () => {
  test("waits for the person, and its token is for exactly this call", async () => {
    const claims = claimsOf();
    const { status, body, headers } = await submit(claims);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    const id = body["transaction_authorization_id"];
    expect(body).toEqual({
      transaction_authorization_id: id,
      authorization_uri: `${system.issuer}/approve/${id}`,
      expires_in: expect.closeTo(600, -1) as number,
      interval: 5,
    });
    expect((await poll(id)).body["error"]).toBe("authorization_pending");
    expect(await answer(id, "approve")).toMatchObject({ answered: true });
    const collected = await poll(id);
    expect(collected).toMatchObject({ status: 200, body: { token_type: "DPoP", scope: "contracts:read" } });
    const token = decodeJwt(collected.body["access_token"] ?? "");
    const [detail] = claims["authorization_details"] as [object];
    const granted = { ...detail, approved_by: userId, approved_at: expect.any(Number) as number };
    expect(token).toMatchObject({
      iss: system.issuer,
      aud: service.resource,
      sub: userId,
      sid: sessionId,
      act: { sub: "authz-cli" },
      client_id: "authz-cli",
      cnf: { jkt: device.signer.thumbprint },
      scope: "contracts:read",
      txn: claims["txn"],
      authorization_details: [granted],
    });
    expect(Number(token.exp) - Number(token.iat)).toBe(120);
    expect(collected.body["authorization_details"]).toEqual(token["authorization_details"]);
    const steps = (await system.audit()).filter(({ type }) => type.startsWith("approval."));
    expect(steps.slice(-3).map(({ type }) => type)).toEqual([
      "approval.asked",
      "approval.approved",
      "approval.collected",
    ]);
    expect(JSON.stringify(steps)).not.toContain("Lease");
  });

  test("of an equal call joins the one that waits, and keeps its first txn", async () => {
    const first = claimsOf();
    const id = (await submit(first)).body["transaction_authorization_id"];
    const second = claimsOf();
    expect(second["txn"]).not.toBe(first["txn"]);
    expect((await submit(second)).body["transaction_authorization_id"]).toBe(id);
    await answer(id, "approve");
    const { body } = await submit(claimsOf());
    expect(decodeJwt(body["access_token"] ?? "")["txn"]).toBe(first["txn"]);
    expect(await ask()).not.toBe(id);
  });

  test("that is sent again is the same transaction in every state", async () => {
    const claims = claimsOf();
    const id = (await submit(claims)).body["transaction_authorization_id"];
    expect((await submit(claims)).body["transaction_authorization_id"]).toBe(id);
    await answer(id, "approve");
    const { jti, exp } = decodeJwt((await submit(claims)).body["access_token"] ?? "");
    expect(decodeJwt((await submit(claims)).body["access_token"] ?? "")).toMatchObject({ jti, exp });
  });

  const detailOf = (claims: Claims) => (claims["authorization_details"] as [Record<string, unknown>])[0];
  test.each<[string, (claims: Claims) => void, string, string]>([
    [
      "another type",
      (claims) => void (detailOf(claims)["type"] = "payment"),
      "invalid_authorization_details",
      "unknown_type",
    ],
    [
      "no details",
      (claims) => delete claims["authorization_details"],
      "invalid_authorization_details",
      "malformed_details",
    ],
    [
      "two details",
      (claims) => (claims["authorization_details"] as unknown[]).push({ type: "contract_deletion" }),
      "invalid_authorization_details",
      "malformed_details",
    ],
    [
      "an approver of its own",
      (claims) => void (detailOf(claims)["approved_by"] = userId),
      "invalid_authorization_details",
      "granted_details",
    ],
    [
      "a NUL in the details",
      (claims) => void (detailOf(claims)["contract"] = "a\0b"),
      "invalid_authorization_details",
      "malformed_details",
    ],
    [
      "actions that are no list",
      (claims) => void (detailOf(claims)["actions"] = "delete"),
      "invalid_authorization_details",
      "malformed_details",
    ],
    [
      "another audience",
      (claims) => void (claims["aud"] = "https://other.example"),
      "invalid_request",
      "challenge_audience",
    ],
    [
      "two audiences",
      (claims) => void (claims["aud"] = [system.issuer, "https://other.example"]),
      "invalid_request",
      "challenge_audience",
    ],
    [
      "another service",
      (claims) => void (claims["iss"] = "https://other.example/api"),
      "invalid_target",
      "unknown_resource",
    ],
    ["no id", (claims) => delete claims["jti"], "invalid_request", "challenge_id"],
    [
      "a time in the past",
      (claims) => void (claims["exp"] = Math.floor(time() / 1000)),
      "invalid_request",
      "challenge_expired",
    ],
    [
      "six minutes",
      (claims) => void (claims["exp"] = Number(claims["iat"]) + 360),
      "invalid_request",
      "challenge_lifetime",
    ],
    [
      "a beginning in the future",
      (claims) => void (claims["iat"] = Number(claims["iat"]) + 60),
      "invalid_request",
      "challenge_not_yet_valid",
    ],
    ["no txn", (claims) => delete claims["txn"], "invalid_request", "challenge_txn"],
    [
      "a txn without a digest",
      (claims) => void (claims["txn"] = randomUUID()),
      "invalid_request",
      "challenge_txn",
    ],
    ["another person", (claims) => void (claims["sub"] = randomUUID()), "invalid_grant", "foreign_grant"],
    ["another session", (claims) => void (claims["sid"] = randomUUID()), "invalid_grant", "unknown_grant"],
    ["a session that is no id", (claims) => void (claims["sid"] = "1"), "invalid_request", "challenge_sid"],
    ["no app", (claims) => delete claims["act"], "invalid_request", "challenge_act"],
    ["another app", (claims) => void (claims["act"] = { sub: "other" }), "invalid_grant", "unknown_grant"],
    ["no method", (claims) => delete claims["htm"], "invalid_request", "challenge_htm"],
    [
      "a method with a space",
      (claims) => void (claims["htm"] = "DELETE X"),
      "invalid_request",
      "challenge_htm",
    ],
    [
      "an address elsewhere",
      (claims) => void (claims["htu"] = "https://evil.example/api/contracts/7"),
      "invalid_request",
      "challenge_htu",
    ],
    [
      "an address beside its prefix",
      (claims) => void (claims["htu"] = `${service.origin}/apis`),
      "invalid_request",
      "challenge_htu",
    ],
    [
      "an address that parsers change",
      (claims) => void (claims["htu"] = `${service.origin}/api/a/../b`),
      "invalid_request",
      "challenge_htu",
    ],
    [
      "an address with a fragment",
      (claims) => void (claims["htu"] = `${service.origin}/api#a`),
      "invalid_request",
      "challenge_htu",
    ],
    ["no reason", (claims) => void (claims["reason"] = " "), "invalid_request", "challenge_reason"],
    [
      "a long reason",
      (claims) => void (claims["reason"] = "a".repeat(501)),
      "invalid_request",
      "challenge_reason",
    ],
    [
      "an invisible reason",
      (claims) => void (claims["reason"] = "a\u202eb"),
      "invalid_request",
      "challenge_reason",
    ],
    [
      "more than 4 KiB",
      (claims) => void (detailOf(claims)["contract"] = "a".repeat(4096)),
      "invalid_request",
      "challenge_malformed",
    ],
  ])("is refused with %s", async (_, change, error, reason) => {
    const claims = claimsOf();
    change(claims);
    const { status, body } = await submit(claims);
    expect([status, body["error"]]).toEqual([400, error]);
    expect(system.log.filter(({ msg }) => msg === "refused").at(-1)).toMatchObject({ reason });
    expect(await system.database.query("SELECT FROM approvals")).toHaveLength(0);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["another type of JWT", { typ: "JWT" }, "challenge_type"],
    ["an unknown key", { kid: "other" }, "challenge_signature"],
    ["no key identifier", { kid: undefined }, "challenge_key_id"],
  ])("is refused with %s", async (_, header, reason) => {
    const { body } = await device.at(time).post(endpoint, {
      client_id: "authz-cli",
      transaction_challenge: service.challenge(claimsOf(), header),
    });
    expect(body["error"]).toBe("invalid_request");
    expect(system.log.filter(({ msg }) => msg === "refused").at(-1)).toMatchObject({ reason });
  });

  test("that another key signed is refused", async () => {
    const { privateJwk } = await generateEs256KeyPair();
    const header = { typ: "txn-authz-challenge+jwt", kid: "service-1" };
    const forged = signCompactJws(header, claimsOf(), importPrivateJwk(privateJwk));
    const { body } = await device
      .at(time)
      .post(endpoint, { client_id: "authz-cli", transaction_challenge: forged });
    expect(body).toMatchObject({ error: "invalid_request" });
  });

  test("is submitted by the session's own device only", async () => {
    const other = await RawDevice.create(system.issuer);
    await other.signIn({}, createBrowser());
    expect((await submit(claimsOf(), other)).body["error"]).toBe("invalid_grant");
    const { body } = await device.post(
      endpoint,
      { client_id: "authz-cli", transaction_challenge: service.challenge(claimsOf()) },
      { proofs: [] },
    );
    expect(body["error"]).toBe("invalid_dpop_proof");
  });

  test("is submitted with an access token of this server, and not with another one", async () => {
    const accessToken = tokens["access_token"] ?? "";
    const url = `${system.issuer}${endpoint}`;
    const form = { transaction_challenge: service.challenge(claimsOf()) };
    const send = async (token: string) => {
      const proof = device.signer.sign({ method: "POST", url, accessToken: token });
      return await device.post(endpoint, form, {
        proofs: [proof],
        headers: { authorization: `DPoP ${token}` },
      });
    };
    expect((await send(accessToken)).status).toBe(200);
    const id = await ask();
    await answer(id, "approve");
    const own = (await poll(id)).body["access_token"] ?? "";
    expect((await send(own)).body["error"]).toBe("invalid_token");
  });
});

describe("a service", () => {
  test("presents a challenge itself, and collects the token when the call comes again", async () => {
    await reach();
    const first = await asService({ transaction_challenge: service.challenge(claimsOf()) });
    expect(first.status).toBe(200);
    const id = first.body["transaction_authorization_id"];
    await answer(id, "approve");
    const { body } = await asService({ transaction_challenge: service.challenge(claimsOf()) });
    expect(decodeJwt(body["access_token"] ?? "")).toMatchObject({ cnf: { jkt: device.signer.thumbprint } });
  });

  test("cannot summon a person whose app has not come for an hour", async () => {
    const present = async () => await asService({ transaction_challenge: service.challenge(claimsOf()) });
    expect((await present()).body["error"]).toBe("invalid_grant");
    await reach();
    expect((await present()).status).toBe(200);
    await system.database.query("DELETE FROM approvals");
    advance(3601);
    expect((await present()).body["error"]).toBe("invalid_grant");
    const [refusal] = (await system.audit("approval.refused")).slice(-1);
    expect(refusal).toMatchObject({ subject: userId, data: { reason: "not_reached" } });
  });

  test("learns of a decline when the same call comes again", async () => {
    await reach();
    const present = async () => await asService({ transaction_challenge: service.challenge(claimsOf()) });
    await answer((await present()).body["transaction_authorization_id"], "decline");
    expect((await present()).body["error"]).toBe("access_denied");
    advance(601);
    expect((await present()).status).toBe(200);
  });

  test.each<[string, Claims, string?]>([
    ["another issuer", { iss: "https://other.example" }],
    ["another audience", { aud: "https://other.example" }],
    ["no id", { jti: undefined }],
    ["more than a minute", { exp: 4_000_000_000 }],
    ["another type", {}, "JWT"],
  ])("is not authenticated by an assertion with %s", async (_, change, typ) => {
    await reach();
    const form = { transaction_challenge: service.challenge(claimsOf()) };
    expect((await asService(form, change, typ)).body["error"]).toBe("invalid_client");
  });

  test("uses an assertion once", async () => {
    await reach();
    const { jti } = serviceAssertionClaims(service, system.issuer);
    const form = { transaction_challenge: service.challenge(claimsOf()) };
    expect((await asService(form, { jti })).status).toBe(200);
    expect((await asService(form, { jti })).body["error"]).toBe("invalid_client");
  });
});

describe("an approval", () => {
  test("is collected once by 64 requests at once, which all get the same token", async () => {
    const second = await system.startSecondInstance();
    const id = await ask();
    await answer(id, "approve");
    const before = (await system.audit("approval.collected")).length;
    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, index) =>
        device
          .at(time)
          .post(
            endpoint,
            { client_id: "authz-cli", transaction_authorization_id: id },
            index % 2 === 0 ? {} : { origin: second },
          ),
      ),
    );
    const issued = answers.map(({ body }) => decodeJwt(body["access_token"] ?? ""));
    expect(new Set(issued.map(({ jti }) => jti)).size).toBe(1);
    expect(new Set(issued.map(({ exp }) => exp)).size).toBe(1);
    const events = (await system.audit("approval.collected")).slice(before);
    expect(events.filter(({ data }) => data["repeated"] === undefined)).toHaveLength(1);
  });

  test("is collected again for 120 seconds", async () => {
    const id = await ask();
    await answer(id, "approve");
    const { jti } = decodeJwt((await poll(id)).body["access_token"] ?? "");
    advance(119);
    expect(decodeJwt((await poll(id)).body["access_token"] ?? "").jti).toBe(jti);
    advance(1);
    expect((await poll(id)).body["error"]).toBe("expired_token");
  });

  test.each(["approve", "decline"] as const)(
    "is answered once, of many who %s and decline",
    async (decision) => {
      const id = await ask();
      const decisions = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? decision : "decline"));
      const results = await Promise.all(
        decisions.map(async (each, index) =>
          answer(id, each, system.instances[index % system.instances.length]),
        ),
      );
      expect(results.filter(({ answered }) => answered)).toHaveLength(1);
      const events = (await system.audit()).filter(
        ({ type, data }) => data["approval"] === id && /approved|declined/.test(type),
      );
      expect(events).toHaveLength(1);
      expect(await stateOf(id)).toBe(events[0]?.type.slice("approval.".length));
    },
  );

  test("is denied to its client when declined", async () => {
    const id = await ask();
    await answer(id, "decline");
    expect((await poll(id)).body["error"]).toBe("access_denied");
  });

  test("expires after ten minutes, pending or approved, with one event", async () => {
    const pending = await ask();
    const approved = await ask({ path: "/api/contracts/8" });
    advance(300);
    await answer(approved, "approve");
    advance(300);
    expect(await answer(pending, "approve")).toMatchObject({ answered: false });
    expect((await poll(pending)).body["error"]).toBe("expired_token");
    advance(300);
    expect((await poll(approved)).body["error"]).toBe("expired_token");
    const now = new Date(time());
    const { store } = system.server.context;
    const counts = await Promise.all([expireApprovals(store, now), expireApprovals(store, now)]);
    expect(counts[0] + counts[1]).toBe(2);
    expect([await stateOf(pending), await stateOf(approved)]).toEqual(["expired", "expired"]);
    expect(await ask()).not.toBe(pending);
  });

  test("ends with its sign-in, also after it was approved", async () => {
    const [pending, approved] = [await ask(), await ask({ path: "/api/contracts/8" })];
    await answer(approved, "approve");
    const { store } = system.server.context;
    const work = { store, actor: { type: "operator" } as const, at: new Date(time()) };
    await revokeGrants({ ids: [sessionId], reason: "revoked_by_administrator" }, work);
    expect([await stateOf(pending), await stateOf(approved)]).toEqual(["withdrawn", "withdrawn"]);
    expect(await answer(pending, "approve")).toMatchObject({ answered: false });
    expect((await poll(approved)).status).toBe(400);
    expect((await system.audit("approval.withdrawn")).slice(-2)).toHaveLength(2);
  });

  test("is over when its app was stopped, and stays so when it is started again", async () => {
    const [pending, approved] = [await ask(), await ask({ path: "/api/contracts/8" })];
    await answer(approved, "approve");
    const { store } = system.server.context;
    const work = { store, actor: { type: "operator" } as const, at: new Date(time()) };
    const stop = await setStop({ kind: "app", userId, clientId: "authz-cli" }, work);
    expect(await answer(pending, "approve")).toMatchObject({ answered: false });
    expect((await poll(approved)).body["error"]).toBe("access_denied");
    await liftStop(stop, { ...work, at: new Date(time()) });
    expect(await answer(pending, "approve")).toMatchObject({ answered: false });
    expect((await poll(approved)).status).toBe(400);
    await system.database.query("DELETE FROM stops");
  });

  test("gives no token when the permission was taken away, and none to what it is not for", async () => {
    const id = await ask();
    await answer(id, "approve");
    const removed = await system.database.query<object>(
      "DELETE FROM assignments WHERE email = 'ada@acme.example' AND scope_key = 'contracts:read' RETURNING *",
    );
    expect((await poll(id)).body["error"]).toBe("access_denied");
    expect(await stateOf(id)).toBe("approved");
    await system.server.context.store.assignments.insertMissing(
      { id: randomUUID(), email: "ada@acme.example", scope: "contracts:read" },
      new Date(),
    );
    expect(removed).toHaveLength(1);
    const { body } = await poll(id);
    const exchanged = await device.token({
      client_id: "authz-cli",
      ...exchangeForm(body["access_token"], {
        authorizationServer: service.origin,
        resource: service.resource,
      }),
      subject_token_type: tokenType("access_token"),
    });
    expect(exchanged.body["error"]).toBe("invalid_grant");
  });

  test("slows a client down that polls too early", async () => {
    const id = await ask();
    expect((await poll(id)).body["error"]).toBe("authorization_pending");
    expect((await poll(id)).body["error"]).toBe("slow_down");
    advance(10);
    expect((await poll(id)).body["error"]).toBe("authorization_pending");
  });

  test("is held for the answer, which another process received", async () => {
    const id = await ask();
    const held = poll(id, { prefer: "respond-async, wait=20" });
    await answer(id, "approve", system.instances.at(-1));
    expect((await held).body["access_token"]).toBeDefined();
  });

  test("is unknown to everyone else", async () => {
    const id = await ask();
    const stranger = await RawDevice.create(system.issuer);
    await stranger.signIn({}, createBrowser());
    const form = { client_id: "authz-cli", transaction_authorization_id: id };
    expect((await stranger.post(endpoint, form)).body["error"]).toBe("invalid_grant");
    expect((await poll(randomUUID())).body["error"]).toBe("invalid_grant");
    expect((await poll("1")).body["error"]).toBe("invalid_grant");
  });
});

describe("an app", () => {
  const many = async (count: number) =>
    await Promise.all(
      Array.from({ length: count }, async (_, index) =>
        submit(claimsOf({ path: `/api/contracts/${index}` })),
      ),
    );

  test("has five calls waiting at most, of many at once", async () => {
    const answers = await many(12);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ body }) => body["error"] === "access_denied")).toHaveLength(7);
  });

  test("is muted for an hour by three declines in a row", async () => {
    for (const path of ["/api/1", "/api/2", "/api/3"]) await answer(await ask({ path }), "decline");
    expect((await submit(claimsOf({ path: "/api/4" }))).body["error"]).toBe("access_denied");
    advance(3600);
    const id = await ask({ path: "/api/4" });
    await answer(id, "approve");
    for (const path of ["/api/5", "/api/6"]) await answer(await ask({ path }), "decline");
    expect(await ask({ path: "/api/7" })).toBeDefined();
  });
});
