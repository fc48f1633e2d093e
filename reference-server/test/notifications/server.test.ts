import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";
import { readForm } from "../support/browser.js";
import { isSigned, startWebhookReceiver, type WebhookReceiver } from "./receivers.js";

let hook: WebhookReceiver;
let system: OauthServer;
beforeAll(async () => {
  hook = await startWebhookReceiver();
  system = await startOauthServer({
    AUTHZ_NOTIFY_WEBHOOK_URL: hook.url,
    AUTHZ_NOTIFY_WEBHOOK_SECRET: hook.secret,
  });
  await system.startSecondInstance();
});
afterAll(async () => {
  await system.close();
  await hook.close();
});

test("a running server sends one notification of a request, and stores the language of its user", async () => {
  const device = await RawDevice.create(system.issuer);
  const browser = createBrowser();
  hook.answer = (_request, response) => void setTimeout(() => response.writeHead(200).end(), 300);
  const page = await signIn(browser, device.authorizeUrl(), "bruno");
  const begun = Date.now();
  await browser.submit(readForm(page), { reason: "I start on Monday." });
  expect(Date.now() - begun).toBeLessThan(5000);
  await expect.poll(() => hook.seen.length, { timeout: 20_000 }).toBe(1);
  const [delivery] = hook.seen;
  expect(delivery !== undefined && isSigned(delivery)).toBe(true);
  expect(JSON.parse(delivery?.body ?? "")).toMatchObject({
    type: "access.requested",
    data: { kind: "installation", target: "authz", targetName: "Acme", scopes: ["authz:login"] },
  });
  const left =
    "SELECT (SELECT count(*)::int FROM notifications) + (SELECT count(*)::int FROM notification_events) AS n";
  await expect.poll(() => system.database.query(left), { timeout: 20_000 }).toEqual([{ n: 0 }]);
  expect(hook.seen).toHaveLength(1);
  const [user] = await system.database.query("SELECT language FROM users");
  expect(user).toEqual({ language: "en" });
}, 60_000);
