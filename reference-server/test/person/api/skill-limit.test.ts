import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiClient } from "../../support/api-client.js";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "skills.person=4" });
});
afterAll(() => system.close());

test("a person's skills are read so often a minute and no more, by clients and browsers together", async () => {
  const ada = await ApiClient.signIn(system.issuer);
  const get = async (path: string) => (await ada.get(path)).status;
  const statuses = [];
  for (const path of ["/api/me/skills", "/api/me/skills/a.b", "/api/me/skills", "/api/me/skills/a.b"]) {
    statuses.push(await get(path));
  }
  expect(statuses).toEqual([200, 404, 200, 404]);
  expect([await get("/api/me/skills"), await get("/api/me/skills/a.b")]).toEqual([429, 429]);
  expect(await get("/api/me")).toBe(200);

  const browser = createBrowser();
  const page = await signIn(browser, `${system.issuer}/sign-in`, "ada");
  expect([page.status, page.headers.has("retry-after")]).toEqual([429, true]);
  expect((await browser.open(`${system.issuer}/skills/a.b`)).status).toBe(429);
});
