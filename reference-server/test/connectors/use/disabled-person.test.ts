import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Forwarding, startForwarding } from "./forwarding.js";

let forwarding: Forwarding;
beforeAll(async () => {
  forwarding = await startForwarding();
});
afterAll(() => forwarding.close());

test("a disabled person's connection stays, and nothing is sent with it until the person is enabled again", async () => {
  const { api, connector, send, system, userId } = forwarding;
  const { store } = system.server.context;
  const find = () => store.connections.findOwn({ userId, connectorId: connector.id });
  const before = await find();
  await store.users.setEnabled(userId, false, new Date());
  const { status } = await send();
  expect([status, api.seen.length]).toEqual([401, 0]);
  // Nor with a request that was let in a moment before.
  const now = new Date();
  const where = { method: "GET", host: "api.notes.example", pathTemplate: "/v1/{…}" };
  const who = { id: randomUUID(), connector: connector.key, userId };
  const call = { ...who, ...where, clientId: null, requestId: null, startedAt: now };
  const begin = async () =>
    (await store.forwardedCalls.beginThroughConnection(call)).connection !== undefined;
  expect(await begin()).toBe(false);
  expect(await find()).toEqual(before);

  await store.users.setEnabled(userId, true, new Date());
  expect([(await send()).status, api.seen.length]).toEqual([200, 1]);
  expect(await begin()).toBe(true);
});
