import { launchBrowser } from "authz-tools/browser";
import { expect, test } from "vitest";
import { testConnector } from "../../support/connectors.js";
import { startOauthServer } from "../../support/oauth-server.js";

test("the account page fits on a phone, also with long names", async () => {
  const [system, browser] = await Promise.all([startOauthServer(), launchBrowser()]);
  try {
    const { store } = system.server.context;
    const name = "Donaudampfschifffahrtsgesellschaft".repeat(5);
    await store.connectors.save(testConnector({ name }), new Date());
    await store.scopes.save({ key: "contracts:read", description: name, system: false }, new Date());
    const context = await browser.newContext({ viewport: { width: 375, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${system.issuer}/sign-in`);
    await page.getByText(/^Ada/).click();
    await page.locator(".connections").getByText(name).waitFor();
    await page.locator(".scopes").getByText(name).first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
  } finally {
    await browser.close();
    await system.close();
  }
});
