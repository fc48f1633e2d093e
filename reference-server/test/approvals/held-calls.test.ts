import { randomUUID } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RefusalAnswer, refusalAnswer, UseRefusal } from "../../src/forwarding/use-refusal.js";
import type { CallRule } from "../../src/rules/call-rule.js";
import { type Agent, signInAgent } from "../person/mcp/agent.js";
import { type ServiceCalling, startServiceCalling } from "../person/mcp/service-calls.js";
import { type Forwarding, startForwarding } from "../connectors/use/forwarding.js";
import type { Browser } from "../support/browser.js";
import { createBrowser, signIn } from "../support/device.js";
import type { OauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

const json = [["content-type", "application/json"]] as const;

/** Opens the page of an approval, and answers it if that is offered. */
async function answer(uri: string, decision: string, browser: Browser): Promise<string> {
  const { forms, html } = await browser.open(uri);
  const { pathname } = new URL(uri);
  const form = forms.find(({ action }) => action.pathname === pathname);
  if (form === undefined) return html;
  return (await browser.submit(form, { decision })).html;
}

async function signedIn(system: OauthServer, person: string): Promise<Browser> {
  const browser = createBrowser();
  await signIn(browser, `${system.issuer}/sign-in`, person);
  return browser;
}

const wordsOf = (text: string) => text.trim().split(/\s+/).length;

describe("a call to a service that a rule asks about", () => {
  let calling: ServiceCalling;
  let ada: Browser;
  let fred: Browser;
  let agent: Agent;

  beforeAll(async () => {
    calling = await startServiceCalling();
    ada = await signedIn(calling.system, "ada");
    fred = await signedIn(calling.system, "fred");
    agent = await signInAgent(calling.system);
    const { store } = calling.system.server.context;
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
  afterAll(() => calling.close());
  beforeEach(async () => {
    calling.api.forget();
    await calling.system.database.query("DELETE FROM approvals");
    await rule({ methods: ["POST"], when: "body.amount > 1000", ask: "self", say: "Large payments" });
  });

  async function rule(first: CallRule): Promise<void> {
    const rules = [first, { default: "allow" } as const];
    await calling.system.server.context.store.resources.save({ ...calling.plain, rules }, new Date());
  }

  const payment = (amount: number, change: object = {}) => ({
    method: "POST",
    url: `${calling.api.origin}/v1/payments?to=a`,
    headers: json,
    body: Buffer.from(JSON.stringify({ amount })),
    ...change,
  });

  async function held(change: Parameters<ServiceCalling["refused"]>[0]): Promise<RefusalAnswer["body"]> {
    const { status, body } = refusalAnswer(await calling.refused(change));
    expect([status, body.error]).toEqual([403, "transaction_authorization_required"]);
    return body;
  }
  const linkOf = async (change: Parameters<ServiceCalling["refused"]>[0]) =>
    (await held(change)).authorization_uri ?? "";
  const states = async () =>
    (
      await calling.system.database.query<{ state: string }>(
        "SELECT state FROM approvals ORDER BY created_at, id",
      )
    ).map(({ state }) => state);

  test("is sent once after the yes, and asks anew after that", async () => {
    const body = await held(payment(2000));
    const uri = body.authorization_uri ?? "";
    expect(uri).toMatch(new RegExp(`^${calling.system.issuer}/approve/[0-9a-f-]{36}$`));
    expect(body.expires_in).toBeGreaterThan(590);
    expect(body.error_description).toContain(uri);
    expect(wordsOf(body.error_description)).toBeLessThanOrEqual(60);
    expect(await linkOf(payment(2000))).toBe(uri);
    expect(calling.api.seen).toEqual([]);

    const { html } = await ada.open(uri);
    expect(html).toContain("<h1>Allow this call?</h1>");
    expect(html).toContain(`<code>${calling.api.origin}/v1/payments?to=a</code>`);
    expect(html).toContain('<th scope="row">content.amount</th><td>2000</td>');
    expect(html).toContain("The administrators say why:");
    expect(html).toContain("<blockquote>Large payments</blockquote>");
    expect(await answer(uri, "approve", ada)).toContain("when the app makes it again");

    expect((await calling.send(payment(2000))).status).toBe(200);
    expect((await ada.open(uri)).html).toContain("Allowed, and sent once.");
    expect(await linkOf(payment(2000))).not.toBe(uri);
    expect(calling.api.seen).toHaveLength(1);
    expect(await states()).toEqual(["collected", "pending"]);
    const [event] = (await calling.system.audit("approval.used")).slice(-1);
    expect(event).toMatchObject({
      data: { approval: uri.split("/").at(-1), resource: calling.api.origin, method: "POST" },
    });
  });

  test.each<[string, () => object]>([
    ["its body", () => ({ body: Buffer.from('{"amount":2001}') })],
    ["a byte of its body that JSON does not see", () => ({ body: Buffer.from('{"amount": 2000}') })],
    ["its query", () => ({ url: `${calling.api.origin}/v1/payments?to=b` })],
    ["its path", () => ({ url: `${calling.api.origin}/v1/payments/?to=a` })],
    ["a header that the service gets", () => ({ headers: [...json, ["x-agent", "b"]] })],
    ["its idempotency key", () => ({ headers: [...json, ["idempotency-key", "k"]] })],
  ])("asks anew when %s changes", async (_, change) => {
    const uri = await linkOf(payment(2000));
    await answer(uri, "approve", ada);
    expect(await linkOf(payment(2000, change()))).not.toBe(uri);
    expect(calling.api.seen).toEqual([]);
    expect((await calling.send(payment(2000))).status).toBe(200);
  });

  test("keeps no value of a header that an administrator declared, which may be a key", async () => {
    await linkOf(payment(2000, { headers: [...json, ["x-agent", "key-7f3a"]] }));
    const [row] = await calling.system.database.query<{ detail: { headers: object } }>(
      "SELECT detail FROM approvals",
    );
    expect(row?.detail.headers).toMatchObject({
      "content-type": "application/json",
      "x-agent": expect.stringMatching(/^sha-256=:.{44}:$/) as string,
    });
    expect(JSON.stringify(row)).not.toContain("key-7f3a");
  });

  test("shows no JSON that parsers may read differently, but its text", async () => {
    await rule({ methods: ["POST"], ask: "self" });
    const uri = await linkOf(payment(1, { body: Buffer.from('{"amount":1,"amount":9000}') }));
    expect((await ada.open(uri)).html).toContain("<td>{&#34;amount&#34;:1,&#34;amount&#34;:9000}</td>");
    const long = await linkOf(
      payment(1, { body: Buffer.from(JSON.stringify({ text: "x".repeat(20_000) })) }),
    );
    const { html } = await ada.open(long);
    expect(html).toContain('<th scope="row">content_length</th><td>20011</td>');
    expect(html).not.toContain("xxx");
  });

  test("is not approved for another rule, or for another method", async () => {
    await rule({ ask: "self", say: "One" });
    const uri = await linkOf(payment(2000));
    await answer(uri, "approve", ada);
    expect(await linkOf(payment(2000, { method: "PUT" }))).not.toBe(uri);
    await rule({ ask: "self", say: "Two" });
    expect(await linkOf(payment(2000))).not.toBe(uri);
    expect(calling.api.seen).toEqual([]);
  });

  test("is sent once when 64 of it arrive at two servers at the same moment", async () => {
    await answer(await linkOf(payment(2000)), "approve", ada);
    const { first, second } = calling;
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        calling.send(payment(2000), index % 2 === 0 ? first : second).then(
          ({ status }) => status,
          (error: unknown) => (error instanceof UseRefusal ? error.code : error),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "transaction_authorization_required")).toHaveLength(63);
    expect(calling.api.seen).toHaveLength(1);
    expect(await states()).toEqual(["collected", "pending"]);
  });

  test("is refused after a no, with a sentence and without a link", async () => {
    await answer(await linkOf(payment(2000)), "decline", ada);
    const { status, body } = refusalAnswer(await calling.refused(payment(2000)));
    expect([status, body.error, body.authorization_uri]).toEqual([403, "access_denied", undefined]);
    expect(body.error_description).toContain("A person declined this call to Plain.");
    expect(calling.api.seen).toEqual([]);
    expect(await states()).toEqual(["declined"]);
  });

  test("cannot be approved by another person, and expires", async () => {
    const uri = await linkOf(payment(2000));
    expect(await answer(uri, "approve", fred)).toContain("There is nothing to answer here");
    expect(await states()).toEqual(["pending"]);
    await answer(uri, "approve", ada);
    await calling.system.database.query("UPDATE approvals SET expires_at = now() - interval '1 second'");
    expect(await linkOf(payment(2000))).not.toBe(uri);
    expect(calling.api.seen).toEqual([]);
  });

  test("is approved by another member of a group, while they are in it", async () => {
    await rule({ methods: ["POST"], ask: "group:acme:finance" });
    const inGroup = async (email: string, groups: readonly string[]) =>
      await calling.system.database.query(
        `INSERT INTO user_groups (user_id, provider_id, groups, signed_in_at, expires_at)
         SELECT u.id, i.id, $2, now(), now() + interval '1 hour' FROM users u, identity_providers i WHERE u.email = $1
         ON CONFLICT (user_id, provider_id) DO UPDATE SET groups = excluded.groups`,
        [email, groups],
      );
    await inGroup("ada@acme.example", ["finance"]);
    await inGroup("fred@acme.example", ["finance"]);
    const body = await held(payment(1));
    const uri = body.authorization_uri ?? "";
    expect(body.error_description).toContain("Another person, of the group that the rule names");
    expect(wordsOf(body.error_description)).toBeLessThanOrEqual(60);
    expect(await answer(uri, "approve", ada)).toContain("Waiting for an answer");
    await answer(uri, "approve", fred);
    await inGroup("fred@acme.example", []);
    expect((await calling.refused(payment(1))).reason).toBe("approver_gone");
    await inGroup("fred@acme.example", ["finance"]);
    expect((await calling.send(payment(1))).status).toBe(200);
  });

  test("gives no token at the endpoint for challenges", async () => {
    const device = await RawDevice.create(calling.system.issuer);
    const tokens = await device.signIn({}, createBrowser());
    const { sid } = decodeJwt<{ sid: string }>(tokens["access_token"] ?? "");
    const grant = await calling.system.server.context.store.grants.find(sid);
    if (grant === undefined) throw new Error("There is no grant.");
    const caller = { ...(await calling.caller()), grant };
    const uri = await linkOf(payment(2000, { caller }));
    await answer(uri, "approve", ada);
    const { body } = await device.post("/api/oauth/transaction", {
      client_id: "authz-cli",
      transaction_authorization_id: uri.split("/").at(-1) ?? "",
    });
    expect(body["access_token"]).toBeUndefined();
    expect(body["error_description"]).toContain("There is no such transaction");
    expect(await states()).toEqual(["approved"]);
  });

  test("ends the app's session with the no, if the person wants", async () => {
    const other = await signInAgent(calling.system);
    const args = { url: `${calling.api.origin}/v1/payments`, method: "POST", body: { amount: 5000 } };
    await answer(linkIn((await other.call("request", args)).text), "decline_and_end", ada);
    expect(await states()).toEqual(["declined"]);
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "request", arguments: args },
    };
    expect((await other.send(message)).status).toBe(401);
    expect(calling.api.seen).toEqual([]);
  });

  test("is asked for in one sentence by the tool, and carried out by the same call of the tool", async () => {
    const args = { url: `${calling.api.origin}/v1/payments`, method: "POST", body: { amount: 3000 } };
    const { text, isError } = await agent.call("request", args);
    expect(isError).toBe(true);
    expect(text).toMatch(/^transaction_authorization_required: A rule of Plain /);
    expect(wordsOf(text)).toBeLessThanOrEqual(60);
    await answer(linkIn(text), "approve", ada);
    expect(JSON.parse((await agent.call("request", args)).text)).toMatchObject({ status: 200 });
    expect(linkIn((await agent.call("request", args)).text)).not.toBe(linkIn(text));
    expect(calling.api.seen).toHaveLength(1);
  });

  const linkIn = (text: string) => /https?:\/\/\S+\/approve\/[0-9a-f-]{36}/.exec(text)?.[0] ?? text;
});

describe("a request through a connector that a rule asks about", () => {
  let forwarding: Forwarding;
  beforeAll(async () => void (forwarding = await startForwarding()));
  afterAll(() => forwarding.close());

  test("is sent once after the yes, and has the name of the connector on the page", async () => {
    await forwarding.restore({ rules: [{ methods: ["DELETE"], ask: "self" }, { default: "allow" }] });
    const remove = async () => {
      const { status, body } = await forwarding.send({ method: "DELETE", target: "/v1/notes/1" });
      return { status, body };
    };
    const { status, body } = await remove();
    const refused = JSON.parse(body) as { error: string; authorization_uri: string; expires_in: number };
    expect([status, refused.error]).toEqual([403, "transaction_authorization_required"]);
    const uri = refused.authorization_uri;
    const ada = await signedIn(forwarding.system, "ada");
    const { html } = await ada.open(uri);
    expect(html).toContain("<dd>Notes</dd>");
    expect(html).not.toContain("<blockquote>");
    await answer(uri, "approve", ada);
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(403);
    expect(forwarding.api.seen).toHaveLength(1);
    const [event] = (await forwarding.system.audit("approval.used")).slice(-1);
    expect(event).toMatchObject({ data: { connector: "notes", method: "DELETE" } });
    expect(event?.data).not.toHaveProperty("resource");
  });
});
