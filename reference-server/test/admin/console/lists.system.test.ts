import { scanAccessibility } from "authz-tools/accessibility";
import { type Browser, launchBrowser, type Page } from "authz-tools/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildConsole } from "../../support/console-build.js";
import { createConsoleWindow } from "../../support/console-window.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let browser: Browser;
let page: Page;
const screen = createConsoleWindow();
const { complaints, show, button } = screen;

beforeAll(async () => {
  await buildConsole();
  [system, browser] = await Promise.all([startOauthServer(), launchBrowser()]);
  const { database } = system;
  await database.query(
    `INSERT INTO users (id, email, name, last_signed_in_at)
    SELECT gen_random_uuid(), 'person' || n || '@acme.example',
      CASE n WHEN 7 THEN 'Renée Müller' ELSE 'Person ' || to_char(n, 'FM00000') END, now() - n * interval '1 hour'
    FROM generate_series(1, 10000) n`,
  );
  await database.query(
    `INSERT INTO assignments (id, email, scope_key)
    SELECT gen_random_uuid(), 'person' || n || '@acme.example', 'contracts:write' FROM generate_series(1, 1209) n`,
  );
  page = await screen.open({ browser, system }, "/admin/users");
  page.setDefaultTimeout(20_000);
});
afterAll(async () => {
  await browser.close();
  await system.close();
});

const rows = () => page.locator("tbody tr[data-index]");
const shown = (text: string) => page.locator(".table-count").filter({ hasText: text });
const focusedRow = async () =>
  Number(await page.evaluate("document.activeElement.closest('tr')?.dataset.index ?? -1"));

/** Scrolls down until every row is loaded. */
async function loadAll(total: string): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- page after page
    if ((await shown(`${total} in all`).count()) > 0) return;
    // oxlint-disable-next-line no-await-in-loop -- page after page
    await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
    // oxlint-disable-next-line no-await-in-loop -- page after page
    await page.waitForTimeout(50);
  }
}

test("look", async () => {
  await show("/assignments");
  await page.screenshot({ path: "/tmp/w/lists-shot-1.png" });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: "/tmp/w/lists-shot-2.png" });
  await page.getByRole("button", { name: /^Actions for/ }).first().click();
  await page.getByRole("menu").waitFor();
  await page.screenshot({ path: "/tmp/w/lists-shot-3.png" });
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1280, height: 800 });
  await button("One line for each row").click();
  await page.screenshot({ path: "/tmp/w/lists-shot-4.png" });
  await button("One line for each row").click();
  await page.getByRole("combobox", { name: "Search assignments" }).or(page.getByRole("combobox")).first().pressSequentially("per");
  await page.getByRole("listbox").waitFor();
  await page.screenshot({ path: "/tmp/w/lists-shot-5.png" });
  await page.keyboard.press("Escape");
  await page.getByRole("checkbox", { name: "Select every row shown" }).click();
  await page.screenshot({ path: "/tmp/w/lists-shot-6.png" });
  await page.getByRole("button", { name: /Clear the selection/ }).click();
  await button("Views").click();
  await page.getByRole("menu").waitFor();
  await page.screenshot({ path: "/tmp/w/lists-shot-7.png" });
  await page.getByRole("menuitem").click();
  await page.getByRole("dialog").waitFor();
  await page.waitForTimeout(300);
  await page.screenshot({ path: "/tmp/w/lists-shot-8.png" });
  expect(complaints).toEqual([]);
}, 60_000);
