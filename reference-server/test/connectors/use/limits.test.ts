import { afterAll, beforeAll, expect, test } from "vitest";
import { type Forwarding, startForwarding } from "./forwarding.js";
import { refusalIn } from "./outcomes.js";

let forwarding: Forwarding;

beforeAll(async () => {
  forwarding = await startForwarding();
});
afterAll(() => forwarding.close());

test("one request more than the connector allows per minute is refused, also without limits of the installation", async () => {
  const limits = { ...forwarding.connector.limits, requestsPerMinute: 3 };
  const { connector } = await forwarding.connect({ limits });
  for (const status of [200, 200, 200]) {
    expect((await forwarding.send({ key: connector.key })).status).toBe(status);
  }
  forwarding.api.forget();
  const denials = (await forwarding.system.audit("connection.denied")).length;
  const refused = await forwarding.send({ key: connector.key });
  expect(refusalIn(refused)).toMatchObject({ status: 429, error: "rate_limited", sent: "no" });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  // Refusals count as well, and beyond the limit they do not fill the audit trail.
  const target = "https://evil.example/v1";
  expect(await forwarding.send({ key: connector.key, target })).toMatchObject({ status: 429 });
  expect([forwarding.api.seen, forwarding.api.connections]).toEqual([[], 0]);
  expect((await forwarding.system.audit("connection.denied")).length).toBe(denials);
});

test("no more than 64 requests of one person are on their way, through whichever connections", async () => {
  const { connector } = await forwarding.connect();
  const { connector: other } = await forwarding.connect();
  const waiting: (() => void)[] = [];
  forwarding.api.answer = (_request, response) => void waiting.push(() => response.end("ok"));
  const keys = [connector.key, other.key];
  const sent = Array.from({ length: 65 }, (_, index) => forwarding.send({ key: keys[index % 2] ?? "" }));
  const first = await Promise.race(sent);
  expect(first).toMatchObject({ status: 429 });
  await expect.poll(() => waiting.length).toBe(64);
  for (const end of waiting) end();
  forwarding.api.answer = (_request, response) => void response.end("ok");
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(64);
  expect((await forwarding.send({ key: connector.key })).status).toBe(200);
});
