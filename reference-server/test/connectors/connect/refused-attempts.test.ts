import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readForm } from "../../support/browser.js";
import type { ThirdPartyFailure } from "../../support/third-party.js";
import { type Connecting, Person, startConnecting } from "../connecting.js";

let connecting: Connecting;
let ada: Person;

beforeAll(async () => {
  connecting = await startConnecting({ AUTHZ_RATE_LIMITS: "connect.person=1000" });
  ({ ada } = connecting);
});

afterAll(() => connecting.close());

beforeEach(() => connecting.reset());

const attemptOf = async (id: string) => (await ada.call("GET", `/notes/attempts/${id}`)).body;

const lastAudit = async (type: string) => (await connecting.system.audit(type)).at(-1);

describe("an attempt is refused", () => {
  const fail = (failure: ThirdPartyFailure) => () =>
    void connecting.thirdParty.failures.set("token", failure);
  const answer = (status: number, body?: string) =>
    fail({ kind: "answer", status, ...(body !== undefined && { body }) });
  const refusals: readonly [
    name: string,
    code: string,
    status: number,
    prepare: () => void | Promise<void>,
    granted?: boolean,
  ][] = [
    [
      "the person says no there",
      "access_denied",
      400,
      () => void (connecting.thirdParty.consent = { denied: true }),
    ],
    [
      "a required scope is left out there",
      "scope_missing",
      400,
      () => void (connecting.thirdParty.consent = { leftOut: ["notes:read"] }),
      true,
    ],
    [
      "another issuer answers",
      "issuer_mismatch",
      400,
      () => connecting.change({ issuer: "https://somebody-else.example" }),
    ],
    ["the third party does not answer", "provider_unreachable", 503, answer(503)],
    ["the connection breaks", "provider_unreachable", 503, fail({ kind: "break" })],
    ["the third party answers nonsense", "provider_error", 400, answer(200, "<html>")],
    ["the code is not taken", "provider_error", 400, answer(400, '{"error":"invalid_grant"}')],
    ["the client secret is wrong", "client_refused", 400, answer(401, '{"error":"invalid_client"}')],
    [
      "nobody says whose account it is",
      "account_unknown",
      400,
      async () => {
        const scopes = connecting.connector.scopes.filter(({ scope }) => scope !== "openid");
        await connecting.change({ scopes, accountEndpoint: `${connecting.thirdParty.issuer}/nowhere` });
      },
      true,
    ],
  ];

  it.each(refusals)("when %s", async (_name, code, status, prepare, granted = false) => {
    await prepare();
    const before = connecting.thirdParty.revocationRequests.length;
    const { id, url } = await ada.begin();
    const { form } = await ada.ask(url);
    const end = await ada.go(form);
    expect({ status: end.status, code: end.html.includes(`<code>${code}</code>`) }).toEqual({
      status,
      code: true,
    });
    expect(await attemptOf(id)).toEqual({
      id,
      state: "failed",
      error: code,
      error_description: expect.any(String) as string,
    });
    expect(await ada.connection()).toBeUndefined();
    expect((await lastAudit("connection.refused"))?.data).toEqual({ connector: "notes", reason: code });
    // Refresh token and access token: what was granted is given back.
    expect(connecting.thirdParty.revocationRequests.length - before).toBe(granted ? 2 : 0);
  });

  it("when the person cancels before going there", async () => {
    const { id, url } = await ada.begin();
    const { form } = await ada.ask(url);
    const end = await ada.browser.submit(form, { decision: "cancel" });
    expect(end.html).toContain("<code>cancelled</code>");
    expect(await attemptOf(id)).toMatchObject({ state: "failed", error: "cancelled" });
    expect((await ada.browser.open(url)).html).toContain("<code>cancelled</code>");
  });

  it("when it comes back at the address of another connector, as in a mix-up", async () => {
    const { id, url } = await ada.begin();
    const { url: callback } = await ada.go((await ada.ask(url)).form, { stop: true });
    const redeemed = connecting.thirdParty.tokenRequests.length;
    const end = await ada.browser.open(callback.href.replace("/callback/notes?", "/callback/other?"));
    expect(end.html).toContain("<code>issuer_mismatch</code>");
    expect(await attemptOf(id)).toMatchObject({ state: "failed", error: "issuer_mismatch" });
    expect(connecting.thirdParty.tokenRequests).toHaveLength(redeemed);
  });

  it("when the connector was changed after the person agreed", async () => {
    const requestPrefixes = [...connecting.connector.requestPrefixes, "https://elsewhere.example"];
    const { id, url } = await ada.begin();
    const { form } = await ada.ask(url);
    await connecting.change({ requestPrefixes });
    const shown = await ada.go(form);
    expect(shown.html).toContain("<code>https://elsewhere.example</code>");
    expect(await attemptOf(id)).toMatchObject({ state: "pending" });

    const { url: callback } = await ada.go(readForm(shown), { stop: true });
    await connecting.change();
    const redeemed = connecting.thirdParty.tokenRequests.length;
    expect((await ada.browser.open(callback)).html).toContain("<code>conflict</code>");
    expect(connecting.thirdParty.tokenRequests).toHaveLength(redeemed);
    expect(await ada.connection()).toBeUndefined();
  });

  it("when the permission is lost on the way", async () => {
    const { form } = await ada.ask((await ada.begin()).url);
    await connecting.change({ requiredScopes: ["contracts:write"] });
    const end = await ada.go(form);
    expect({ status: end.status, html: end.html }).toMatchObject({
      status: 403,
      html: expect.stringContaining("insufficient_scope") as string,
    });
  });
});
