import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { HeldCall } from "../../../src/forwarding/held-call.js";
import { createForwarder } from "../../../src/forwarding/forwarder.js";
import { refusalAnswer, UseRefusal } from "../../../src/forwarding/use-refusal.js";
import { createCallService } from "../../../src/person/service-calls/call-service.js";
import type { CallRule } from "../../../src/rules/call-rule.js";
import { type ServiceCalling, startServiceCalling } from "./service-calls.js";

let calling: ServiceCalling;
beforeAll(async () => {
  calling = await startServiceCalling();
});
afterAll(() => calling.close());
beforeEach(async () => {
  calling.api.forget();
  await calling.system.database.query("DELETE FROM rule_uses");
});

const json = [["content-type", "application/json"]] as const;

async function rule(...rules: readonly CallRule[]): Promise<void> {
  await calling.system.server.context.store.resources.save({ ...calling.plain, rules }, new Date());
}

function payment(amount: number) {
  const body = Buffer.from(JSON.stringify({ amount }));
  return { method: "POST", url: `${calling.api.origin}/v1/payments`, headers: json, body };
}

async function denials(): Promise<readonly object[]> {
  const rows = await calling.system.database.query<{ data: object }>(
    "SELECT data FROM audit_events WHERE type = 'service.call_denied' AND data ? 'rule' ORDER BY id",
  );
  return rows.map(({ data }) => data);
}

async function noted(): Promise<number> {
  return (await calling.system.database.query("SELECT FROM forwarded_calls")).length;
}

test("a rule that refuses sends nothing, and tells the administrator's sentence as theirs", async () => {
  await rule(
    { methods: ["POST"], when: "body.amount > 1000", refuse: 'Ask "finance".' },
    { default: "allow" },
  );
  expect((await calling.send(payment(1000))).status).toBe(200);
  const refusal = await calling.refused(payment(1001));
  expect(refusalAnswer(refusal)).toMatchObject({
    status: 403,
    body: {
      error: "access_denied",
      error_description:
        "A rule of Plain does not allow this request. The administrator says: \"Ask 'finance'.\"",
      sent: "no",
    },
  });
  expect(calling.api.seen).toHaveLength(1);
  // The end of a call that was answered is stored a moment later.
  await expect.poll(noted).toBe(0);
  expect((await denials()).at(-1)).toMatchObject({
    resource: "plain",
    reason: "rule_refused",
    rule: 1,
    method: "POST",
  });
});

test("without a way to ask, a rule that asks fails closed, and says what cannot be read", async () => {
  await rule({ methods: ["POST"], when: "body.amount > 1000", ask: "self" }, { default: "allow" });
  const { context } = calling.system.server;
  const forwarder = createForwarder(context);
  const process = { ...calling.first, call: await createCallService(context, forwarder) };
  const refusal = await calling.refused(payment(2000), process);
  expect(refusalAnswer(refusal)).toMatchObject({
    status: 403,
    body: { error: "transaction_authorization_required", sent: "no" },
  });
  const unclear = await calling.refused(
    { ...payment(1), headers: [...json, ["content-encoding", "gzip"]] },
    process,
  );
  expect(unclear.code).toBe("transaction_authorization_required");
  expect(unclear.message).toContain("Send it without Content-Encoding.");
  expect(calling.api.seen).toEqual([]);
  expect(await noted()).toBe(0);
  await forwarder.close();
});

test("an approval gets the call exactly as it is sent", async () => {
  await rule({ path: "/v1/payments", ask: "group:okta:finance", say: "Payments" }, { default: "refuse" });
  const { context } = calling.system.server;
  const held: HeldCall[] = [];
  const forwarder = createForwarder({ ...context, askForApproval: async (call) => void held.push(call) });
  const call = await createCallService(context, forwarder);
  const request = payment(7);
  const url = `${request.url}?a=1&a=2`;
  const headers = [...json, ["X-Left-Out", "1"], ["Idempotency-Key", "k"]] as const;
  const answer = await call(await calling.request({ ...request, url, headers }));
  expect(answer.status).toBe(200);
  expect(held).toMatchObject([
    {
      method: "POST",
      body: request.body,
      headers: [...json, ["Idempotency-Key", "k"]],
      approver: { provider: "okta", group: "finance" },
      rule: 0,
      say: "Payments",
      clientId: calling.clientId,
      object: { type: "resource", key: "plain" },
    },
  ]);
  expect(held[0]?.url.href).toBe(url);
  await forwarder.close();
});

test("a token for a call that rules have decided about has the scopes that direct use goes without", async () => {
  await rule({ methods: ["DELETE"], ask: "self" }, { default: "allow" });
  await calling.send({ url: `${calling.api.origin}/v1/things` });
  const [, claims = ""] = (calling.api.seen[0]?.headers.authorization ?? "").split(".");
  const { scope } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { scope: string };
  expect(scope.split(" ")).toContain("contracts:read");
});

describe("a limit", () => {
  const limit = { limit: { calls: 3, per: "day" }, beyond: "refuse", refuse: "Enough for today." } as const;
  const get = (change: object = {}) => ({ url: `${calling.api.origin}/v1/things`, ...change });

  async function used(): Promise<number> {
    const [row] = await calling.system.database.query<{ calls: number }>("SELECT calls FROM rule_uses");
    return row?.calls ?? 0;
  }

  test("lets as many calls of a person pass, and says when the next one may be made", async () => {
    await rule(limit, { default: "allow" });
    for (let call = 1; call <= 3; call += 1) expect((await calling.send(get())).status).toBe(200);
    const refusal = await calling.refused(get());
    expect(refusal.reason).toBe("rule_limit");
    expect(refusal.retryAfterSeconds).toBeGreaterThan(0);
    expect(refusal.message).toContain('The administrator says: "Enough for today."');
    expect(await used()).toBe(3);
    expect(calling.api.seen).toHaveLength(3);
  });

  test("asks beyond itself, if it says so", async () => {
    await rule({ limit: { calls: 1, per: "hour" }, beyond: "ask" }, { default: "allow" });
    await calling.send(get());
    expect((await calling.refused(get())).code).toBe("transaction_authorization_required");
  });

  test("is not passed by calls at the same moment on two servers", async () => {
    await rule(limit, { default: "allow" });
    const { first, second } = calling;
    const calls = Array.from({ length: 16 }, (_, index) =>
      calling.send(get(), index % 2 === 0 ? first : second).then(
        ({ status }) => status,
        (error: unknown) => (error instanceof UseRefusal ? error.reason : error),
      ),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === "rule_limit")).toHaveLength(13);
    expect(await used()).toBe(3);
  });

  test("gets a use back when nothing was sent, and keeps it when something may have been", async () => {
    await rule(limit, { default: "allow" });
    const gone = new AbortController();
    gone.abort(new Error("gone"));
    await expect(calling.send(get({ signal: gone.signal }))).rejects.toThrow("gone");
    expect(await used()).toBe(0);
    calling.api.answer = (_request, response) => void response.destroy();
    expect((await calling.refused(get())).sent).toBe("maybe");
    expect(await used()).toBe(1);
  });

  test("goes on counting when its words or its number change", async () => {
    await rule(limit, { default: "allow" });
    await calling.send(get());
    await rule({ ...limit, limit: { calls: 1, per: "day" }, refuse: "Less." }, { default: "allow" });
    expect((await calling.refused(get())).reason).toBe("rule_limit");
    await rule({ ...limit, methods: ["GET"] }, { default: "allow" });
    expect((await calling.send(get())).status).toBe(200);
  });

  test("a use that a lost process leaves stays counted", async () => {
    await rule(limit, { default: "allow" });
    const { store } = calling.system.server.context;
    const wanted = {
      owner: calling.plain.id,
      rule: limit,
      userId: crypto.randomUUID(),
      startsAt: new Date(0),
      most: 3,
    };
    expect(await store.forwardedCalls.reserve({ ...wanted, id: crypto.randomUUID() })).toBe(false);
    expect(await used()).toBe(0);
  });
});
