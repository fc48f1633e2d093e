import { randomUUID } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Browser } from "../../support/browser.js";
import {
  challengeClaims,
  type ChallengingService,
  startChallengingService,
} from "../../support/challenging-service.js";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";

let system: OauthServer;
let service: ChallengingService;
let device: RawDevice;
let ada: Browser;
let fred: Browser;
let userId: string;
let sessionId: string;

type DetailsTypes = OauthServer["resource"]["authorizationDetailsTypes"];
const shown: DetailsTypes[number] = {
  type: "contract_deletion",
  title: { en: "Delete a contract", de: "Einen Vertrag löschen" },
  members: [
    { path: "contract.title", label: { en: "Contract", de: "Vertrag" }, format: "text" },
    { path: "price", label: { en: "Price", de: "Preis" }, format: "money" },
    { path: "actions", label: { en: "Actions", de: "Aktionen" }, format: "list" },
  ],
  approver: null,
  maxAgeSeconds: null,
};
const declare = async (change: Partial<DetailsTypes[number]> = {}) =>
  await system.server.context.store.resources.save(
    {
      ...system.resource,
      resource: service.resource,
      authorizationServer: service.origin,
      requestPrefixes: [`${service.origin}/api`],
      authorizationDetailsTypes: [{ ...shown, ...change }],
    },
    new Date(),
  );

beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  service = await startChallengingService();
  device = await RawDevice.create(system.issuer);
  ada = createBrowser();
  fred = createBrowser();
  await signIn(ada, `${system.issuer}/sign-in`, "ada");
  await signIn(fred, `${system.issuer}/sign-in`, "fred");
  const { store } = system.server.context;
  const provider = await store.identityProviders.findByKey("acme");
  const groups = {
    id: randomUUID(),
    key: "acme",
    name: "Acme groups",
    enabled: true,
    type: "claim",
  } as const;
  await store.groupProviders.save({ ...groups, identityProviderId: provider?.id ?? "" }, new Date());
});
beforeEach(async () => {
  await system.database.query("DELETE FROM approvals");
  await declare();
  const tokens = await device.signIn({}, createBrowser());
  ({ sub: userId, sid: sessionId } = decodeJwt<{ sub: string; sid: string }>(tokens["access_token"] ?? ""));
});
afterAll(async () => {
  await service.close();
  await system.close();
});

const ask = async (detail: Record<string, unknown> = {}, reason = "Contracts cannot be restored.") => {
  const claims = challengeClaims(service, { issuer: system.issuer, subject: userId, sessionId, detail });
  const { body } = await device.post("/api/oauth/transaction", {
    client_id: "authz-cli",
    transaction_challenge: service.challenge({ ...claims, reason }),
  });
  return body["transaction_authorization_id"] ?? JSON.stringify(body);
};
const open = async (id: string, browser = ada, language = "en") =>
  await browser.open(`${system.issuer}/approve/${id}`, { headers: { "accept-language": language } });
const stateOf = async (id: string) => (await system.server.context.store.approvals.find(id))?.state;
const answer = async (id: string, decision: string, browser = ada) => {
  const { forms, html } = await open(id, browser);
  const form = forms.find(({ action }) => action.pathname === `/approve/${id}`);
  if (form === undefined) throw new Error(`No form: ${html}`);
  return await browser.submit(form, { decision });
};

describe("the page of a call", () => {
  test("says what, where, through which app and why, in both languages", async () => {
    const id = await ask({ price: { amount: "1000.50", currency: "EUR" }, note: "not declared" });
    const { html, status } = await open(id);
    expect(status).toBe(200);
    expect(html).toContain("<h1>Allow “Delete a contract”?</h1>");
    expect(html).toContain("<code>DELETE</code>");
    expect(html).toContain(`<code>${service.origin}/api/contracts/7</code>`);
    expect(html).toContain('<th scope="row">Contract</th><td>Lease</td>');
    expect(html).toContain('<th scope="row">Price</th><td>1000.50 EUR</td>');
    expect(html).toContain('<th scope="row">Actions</th><td><ul><li>delete</li></ul></td>');
    expect(html).toContain("2 more parts of the call are not shown here");
    expect(html).toContain("<blockquote>Contracts cannot be restored.</blockquote>");
    expect(html).toContain("What this app did for you in the last ten minutes");
    expect(html).not.toContain("<script>");
    const german = (await open(id, ada, "de")).html;
    expect(german).toContain("<h1>„Einen Vertrag löschen“ zulassen?</h1>");
    expect(german).toContain("Einmal zulassen");
  });

  test("frames the service's words, and writes out what cannot be seen", async () => {
    await declare({ members: [] });
    const id = await ask({ contract: "a\u202eb<script>" }, "</blockquote><h1>Allow it</h1>");
    const { html } = await open(id);
    expect(html).toContain("a\\u{202e}b&#60;script&#62;");
    expect(html).toContain("<blockquote>&#60;/blockquote&#62;&#60;h1&#62;Allow it&#60;/h1&#62;</blockquote>");
  });

  test("takes one answer, after which it says how things are", async () => {
    const id = await ask();
    const { html } = await answer(id, "approve");
    expect(html).toContain("Allowed. The app can collect it now.");
    expect(html).not.toContain("<form");
    expect(await stateOf(id)).toBe("approved");
    const [event] = (await system.audit("approval.approved")).slice(-1);
    expect(event).toMatchObject({ subject: userId, data: { approval: id, method: "DELETE" } });
  });

  test("declines, and signs the app out if the person wants", async () => {
    const id = await ask();
    expect((await answer(id, "decline_and_end")).html).toContain("Declined");
    expect(await stateOf(id)).toBe("declined");
    expect(await system.server.context.store.grants.find(sessionId)).toMatchObject({
      revokedAt: expect.any(Date) as Date,
    });
  });

  test("is on the account page while it waits, and leads there after the sign-in", async () => {
    const id = await ask();
    expect((await ada.open(`${system.issuer}/`)).html).toContain(`href="/approve/${id}"`);
    const { url } = await signIn(createBrowser(), `${system.issuer}/approve/${id}`, "ada");
    expect(url.pathname).toBe(`/approve/${id}`);
    await answer(id, "decline");
    expect((await ada.open(`${system.issuer}/`)).html).not.toContain(`href="/approve/${id}"`);
  });

  test("does not exist for anybody else", async () => {
    const id = await ask();
    for (const other of [id, randomUUID(), "1"]) {
      const { status, html } = await open(other, fred);
      expect([status, html.includes("There is nothing to answer here")]).toEqual([404, true]);
    }
    expect((await fred.open(`${system.issuer}/`)).html).not.toContain(`href="/approve/${id}"`);
  });

  test.each<[string, (form: Record<string, string>) => Record<string, string>, Record<string, string>]>([
    ["without a token", ({ csrf: _csrf, ...form }) => form, {}],
    ["with another token", (form) => ({ ...form, csrf: "a" }), {}],
    ["from another site", (form) => form, { origin: "https://evil.example" }],
    ["across sites", (form) => form, { "sec-fetch-site": "cross-site" }],
    ["with another decision", (form) => ({ ...form, decision: "always" }), {}],
    ["without a decision", ({ decision: _decision, ...form }) => form, {}],
  ])("takes no answer %s", async (_, change, headers) => {
    const id = await ask();
    const page = await open(id);
    const csrf = /name="csrf" value="(?<token>[^"]+)"/.exec(page.html)?.groups?.["token"] ?? "";
    await ada.open(`${system.issuer}/approve/${id}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: new URLSearchParams(change({ csrf, decision: "approve" })).toString(),
    });
    expect(await stateOf(id)).toBe("pending");
  });

  test("takes no token of an app", async () => {
    const id = await ask();
    const tokens = await device.signIn({}, createBrowser());
    const accessToken = tokens["access_token"] ?? "";
    const url = `${system.issuer}/approve/${id}`;
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: {
        authorization: `DPoP ${accessToken}`,
        dpop: device.signer.sign({ method: "POST", url, accessToken }),
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "decision=approve",
    });
    expect(response.status).toBe(303);
    expect(await stateOf(id)).toBe("pending");
  });

  test("wants a fresh sign-in where its type does", async () => {
    await declare({ maxAgeSeconds: 0 });
    const id = await ask();
    const { html } = await open(id);
    expect(html).toContain("This call needs a fresh sign-in.");
    expect(html).toContain(`/sign-in?return_to=%2Fapprove%2F${id}&#38;prompt=login`);
    expect(html).not.toContain('name="decision"');
  });
});

describe("a call that a group answers", () => {
  const inGroup = async (email: string, groups: readonly string[]) =>
    await system.database.query(
      `INSERT INTO user_groups (user_id, provider_id, groups, signed_in_at, expires_at)
       SELECT u.id, i.id, $2, now(), now() + interval '1 hour' FROM users u, identity_providers i WHERE u.email = $1
       ON CONFLICT (user_id, provider_id) DO UPDATE SET groups = excluded.groups`,
      [email, groups],
    );
  beforeEach(async () => {
    await declare({ approver: { provider: "acme", key: "finance" } });
    await inGroup("fred@acme.example", ["finance"]);
    await inGroup("ada@acme.example", ["finance"]);
  });

  test("is never answered by the person for whom the app acts", async () => {
    const id = await ask();
    const { html } = await open(id);
    expect(html).toContain("Waiting for an answer");
    expect(html).not.toContain('name="decision"');
  });

  test("is answered by another member, who finds it on their page", async () => {
    const id = await ask();
    expect((await fred.open(`${system.issuer}/`)).html).toContain(`href="/approve/${id}"`);
    const { html } = await open(id, fred);
    expect(html).toContain("for ada@acme.example at");
    expect(html).not.toContain("decline_and_end");
    await answer(id, "approve", fred);
    expect(await stateOf(id)).toBe("approved");
  });

  test("gives no token when the approver has left the group", async () => {
    const id = await ask();
    await answer(id, "approve", fred);
    await inGroup("fred@acme.example", []);
    const collect = async () =>
      (
        await device.post("/api/oauth/transaction", {
          client_id: "authz-cli",
          transaction_authorization_id: id,
        })
      ).body;
    expect((await collect())["error"]).toBe("access_denied");
    await inGroup("fred@acme.example", ["finance"]);
    expect((await collect())["access_token"]).toBeDefined();
  });

  test("does not exist for those who are not in the group", async () => {
    const id = await ask();
    await inGroup("fred@acme.example", ["sales"]);
    expect((await open(id, fred)).status).toBe(404);
  });
});
