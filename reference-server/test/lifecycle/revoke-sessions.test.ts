import { afterAll, beforeAll, expect, test } from "vitest";
import { revokeSessions } from "../../src/lifecycle/revoke.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let userId: string;
beforeAll(async () => {
  system = await startOauthServer();
  await openSession();
  const [row] = await system.database.query<{ id: string }>("SELECT id FROM users");
  userId = row?.id ?? "";
});
afterAll(() => system.close());

/** Ada in a browser of her own; returns whether she is still signed in there. */
async function openSession(): Promise<() => Promise<boolean>> {
  const browser = createBrowser();
  await signIn(browser, `${system.issuer}/sign-in`, "ada");
  return async () => (await browser.open(`${system.issuer}/`)).html.includes("Ada Lovelace");
}

const options = () => ({
  store: system.server.context.store,
  actor: { type: "operator" } as const,
  at: new Date(),
});
const live = () =>
  system.server.context.store.browserSessions.listLive({ userId, now: new Date(), limit: 10 });

test("one session of a person ends, and the others stay", async () => {
  const [older, newer] = [await openSession(), await openSession()];
  const [newest] = await live();
  expect(await revokeSessions({ userId, sessionId: newest?.id ?? "" }, options())).toBe(1);
  expect([await older(), await newer()]).toEqual([true, false]);
  expect((await system.audit("session.ended")).at(-1)).toMatchObject({
    subject: userId,
    data: { sessionId: newest?.id },
  });
  expect(await revokeSessions({ userId, sessionId: newest?.id ?? "" }, options())).toBe(0);
});

test("a session is only ended as its own person's", async () => {
  const isSignedIn = await openSession();
  const [newest] = await live();
  const stranger = "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60";
  expect(await revokeSessions({ userId: stranger, sessionId: newest?.id ?? "" }, options())).toBe(0);
  expect(await isSignedIn()).toBe(true);
});

test("all sessions of a person end at once, and the devices stay signed in", async () => {
  const device = await RawDevice.create(system.issuer);
  const { refresh_token: refresh = "" } = await device.signIn();
  const browsers = [await openSession(), await openSession()];
  const before = (await live()).length;
  expect(await revokeSessions({ userId }, options())).toBe(before);
  expect(await Promise.all(browsers.map((isSignedIn) => isSignedIn()))).toEqual([false, false]);
  expect(await live()).toEqual([]);
  expect((await device.refresh(refresh)).status).toBe(200);
  expect((await system.audit("session.ended")).slice(-before)).toHaveLength(before);
});

test("sessions of a provider that was disabled count no longer", async () => {
  const isSignedIn = await openSession();
  await system.database.query("UPDATE identity_providers SET enabled = false");
  expect(await isSignedIn()).toBe(false);
  await system.database.query("UPDATE identity_providers SET enabled = true");
  expect(await isSignedIn()).toBe(true);
});
