import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { CallRule } from "../../../src/rules/call-rule.js";
import { type Forwarding, startForwarding } from "./forwarding.js";

let forwarding: Forwarding;
beforeAll(async () => void (forwarding = await startForwarding()));
afterAll(() => forwarding.close());
beforeEach(() => forwarding.api.forget());

const rules: readonly CallRule[] = [
  { methods: ["POST"], path: "/v1/payments", when: "body.amount > 1000", refuse: "Ask finance." },
  { methods: ["DELETE"], ask: "self" },
  { methods: ["PUT"], limit: { calls: 1, per: "day" }, beyond: "refuse" },
  { default: "allow" },
];
const headers = { "content-type": "application/json" };

function pay(amount: number, note = "") {
  const body = JSON.stringify({ amount, note });
  return forwarding.send({
    method: "POST",
    target: "/v1/payments",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    body,
  });
}

test("a request through a connector is read, decided about, and sent as it is", async () => {
  await forwarding.restore({ rules });
  expect((await pay(1000, "ü")).status).toBe(200);
  expect(forwarding.api.seen[0]).toMatchObject({
    bytes: Buffer.byteLength('{"amount":1000,"note":"ü"}'),
    complete: true,
  });
  const refused = await pay(1001);
  expect(refused.status).toBe(403);
  expect(JSON.parse(refused.body)).toEqual({
    error: "access_denied",
    error_description: 'A rule of Notes does not allow this request. The administrator says: "Ask finance."',
    sent: "no",
  });
  expect((await forwarding.send({ method: "DELETE", target: "/v1/notes/1" })).status).toBe(403);
  expect(forwarding.api.seen).toHaveLength(1);
  expect(await forwarding.system.database.query("SELECT FROM forwarded_calls")).toEqual([]);
});

test("a body without a length, or one that is too long, is not read and not let past a rule", async () => {
  await forwarding.restore({ rules });
  const chunked = { method: "POST", target: "/v1/payments", headers, body: Readable.from(['{"amount": 1}']) };
  const refused = await forwarding.send(chunked);
  expect([refused.status, refused.body]).toEqual([403, expect.stringContaining("does not say its length")]);
  expect((await pay(1, "x".repeat(300_000))).status).toBe(403);
  const file = {
    method: "POST",
    target: "/v1/files",
    headers: { "content-type": "image/png" },
    body: Readable.from(["png"]),
  };
  expect((await forwarding.send(file)).status).toBe(200);
  expect(forwarding.api.seen).toHaveLength(1);
});

test("a limit counts requests of a person", async () => {
  await forwarding.restore({ rules });
  expect((await forwarding.send({ method: "PUT" })).status).toBe(200);
  const beyond = await forwarding.send({ method: "PUT" });
  expect([beyond.status, Number(beyond.headers["retry-after"]) > 0]).toEqual([403, true]);
});
