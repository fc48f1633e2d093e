import axe from "axe-core";
import { launchBrowser } from "authz-tools/browser";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientSecret, type FreshServer, setupToken, startFreshServer } from "./fresh-server.js";

let system: FreshServer;
let browser: Browser;
beforeAll(async () => {
  [system, browser] = await Promise.all([startFreshServer(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await system.close();
});

test("the server is set up with a browser and a keyboard, on accessible pages", async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: system.issuer });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    // The refused form is answered with 400, which the browser reports.
    if (message.type() === "error" && !message.text().includes("400")) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));

  await page.goto(system.issuer);
  await inspect(page);
  // The field has the focus.
  await page.keyboard.type(setupToken);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Where do people sign in?" }).waitFor();
  await inspect(page);
  await page.getByRole("link", { name: "Another OpenID provider" }).click();

  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate("navigator.clipboard.readText()");
  expect(copied).toBe(`${system.issuer}/sign-in/callback`);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Some details are not right yet").waitFor();
  await inspect(page);
  await page.getByLabel("Your email address").fill("ada@acme.example");
  await page.getByLabel("Name of this installation").fill("Acme");
  await page.getByLabel("Name of the provider").fill("Acme accounts");
  await page.getByLabel("Issuer").fill(system.idp.issuer);
  await page.getByLabel("Client ID").fill("authz");
  await page.getByLabel("Client secret").fill(clientSecret);
  await page.getByRole("button", { name: "Continue" }).click();

  await page.getByRole("button", { name: "Test sign-in" }).click();
  await page.getByText("Bruno Keller").click();
  await page.getByText("You signed in as bruno@acme.example").waitFor();
  await inspect(page);
  await page.getByRole("button", { name: "Test again" }).click();
  await page.getByText("Ada Lovelace").click();
  await page.getByText("The test passed").waitFor();
  await inspect(page);
  await page.getByRole("button", { name: "Complete" }).click();
  await page.getByText("Ada Lovelace").click();
  await page.getByRole("heading", { name: "Acme is set up" }).waitFor();
  await inspect(page);

  await page.goto(system.issuer);
  await page.getByRole("link", { name: "Administration" }).waitFor();
  await inspect(page);
  await page.goto(`${system.issuer}/setup`).catch(() => undefined);
  await page.getByRole("heading", { name: "Setup is closed" }).waitFor();
  await inspect(page);
  expect(complaints.filter((complaint) => !complaint.includes("410"))).toEqual([]);
});

/** No violation of WCAG in light, no colour that is hard to read in dark, and nothing wider than the window. */
async function inspect(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<axe.AxeResults>(
      colorScheme === "light" ? `${axe.source}; axe.run()` : "axe.run({ runOnly: ['color-contrast'] })",
    );
    const found = violations.map(
      ({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map(({ html }) => html).join()}`,
    );
    expect(found).toEqual([]);
  }
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
}
