import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { beforeAll, describe, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { show, button } = screen;

beforeAll(async () => {
  system = await screen.start();
  const { database } = system;
  await database.query(
    `INSERT INTO users (id, email, name, last_signed_in_at)
    SELECT gen_random_uuid(), 'person' || n || '@acme.example',
      CASE n WHEN 7 THEN 'Renée Müller' ELSE 'Employee ' || to_char(n, 'FM00000') END, now() - n * interval '1 hour'
    FROM generate_series(1, 10000) n`,
  );
  await database.query(
    `INSERT INTO assignments (id, email, scope_key)
    SELECT gen_random_uuid(), 'person' || n || '@acme.example', 'contracts:write' FROM generate_series(1, 1209) n`,
  );
  page = await screen.open("/admin/users");
  page.setDefaultTimeout(20_000);
});

const rows = () => page.locator("tbody tr[data-index]");
const shown = (text: string) => page.locator(".table-count").filter({ hasText: text });
const focusedRow = async () =>
  Number(await page.evaluate("document.activeElement.closest('tr')?.dataset.index ?? -1"));

const drawnIndexes = () =>
  rows().evaluateAll((all) => all.map((row) => Number(row.getAttribute("data-index"))));

/** Scrolls down until all rows have loaded. */
async function loadAll(total: string): Promise<void> {
  for (;;) {
    if ((await shown(`${total} in all`).count()) > 0) return;
    await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
    await page.waitForTimeout(50);
  }
}

describe("a list of ten thousand", () => {
  test("draws few rows, and has their number and positions", async () => {
    await show("/users");
    await shown("50 shown, there are more").waitFor();
    expect(await page.getByRole("table").getAttribute("aria-rowcount")).toBe("-1");
    await show("/users?q=person&sort=email");
    await shown("50 of 10,000 shown").waitFor();
    expect(await page.getByRole("table").getAttribute("aria-rowcount")).toBe("10001");
    await loadAll("10,000");
    await expect.poll(() => rows().count()).toBeLessThan(80);
    await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
    await page.locator('tr[aria-rowindex="10001"]').waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
  });

  test("is navigated by keyboard, also beyond drawn rows", async () => {
    await page.evaluate("window.scrollTo(0, 0)");
    await page.locator('tr[data-index="0"] a').focus();
    // Each row has a link and a menu.
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press("Tab");
    }
    expect(await focusedRow()).toBe(30);
    // The focused row stays in the page while another part is visible, and Tab continues there.
    await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight / 2)");
    await expect.poll(() => drawnIndexes().then((all) => all.at(-1))).toBeGreaterThan(4000);
    expect(await focusedRow()).toBe(30);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focusedRow()).toBe(31);
    await expect.poll(() => drawnIndexes().then((all) => all.at(-1))).toBeLessThan(200);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    expect(await focusedRow()).toBe(30);
  });

  test("is searched on the server, without accents and beyond loaded rows", async () => {
    await show("/users");
    await shown("50 shown").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("renee mul");
    await shown("1 in all").waitFor();
    expect(await screen.row("Renée Müller").count()).toBe(1);
  });
});

describe("a search", () => {
  test("suggests filters by keyboard", async () => {
    await show("/assignments");
    const field = page.getByRole("combobox", { name: "Search assignments" });
    await field.pressSequentially("contr");
    const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
    await options.filter({ hasText: "contracts:write" }).waitFor();
    // Suggestions for the first letters are gone.
    const texts = () => options.allTextContents();
    await expect.poll(async () => (await texts()).every((text) => text.includes("contracts:"))).toBe(true);
    expect(await field.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("ArrowDown");
    const activeOf = () => field.getAttribute("aria-activedescendant");
    await expect.poll(activeOf).not.toBeNull();
    const active = await activeOf();
    expect(await page.locator(`[id="${String(active)}"]`).getAttribute("aria-selected")).toBe("true");
    expect(await scanAccessibility(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    expect(await field.inputValue()).toBe("contr");
    await field.press("End");
    await field.pressSequentially("acts:w");
    await expect.poll(texts).toEqual([expect.stringContaining("contracts:write")]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/scope=contracts%3Awrite$/);
    await shown("50 of 1,209 shown").waitFor();
    expect(await field.inputValue()).toBe("");
  });
});

describe("a selection", () => {
  test("of all results is previewed and removed in one request", async () => {
    await show("/assignments?scope=contracts%3Awrite");
    await page.getByRole("checkbox", { name: "Select every row shown" }).check();
    await page.getByText("50 selected").waitFor();
    await button("Select all 1,209").click();
    await page.getByText("1,209 selected").waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await button("Remove").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1,209 people lose").waitFor();
    await dialog.getByText("and 1,203 more").waitFor();
    await dialog.getByRole("button", { name: /^Remove/ }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Nothing matches").waitFor();
    expect(await system.audit("assignment.removed")).toHaveLength(1209);
  });
});

describe("a saved view", () => {
  test("keeps search, filters and order across browsers", async () => {
    await show("/users?sort=-lastSignedInAt&enabled=true&q=person");
    await button("Views").click();
    await page.getByRole("menuitem", { name: "Save or remove a view…" }).click();
    const dialog = page.getByRole("dialog", { name: "Your views of this list" });
    await dialog.getByRole("button", { name: "Save this view" }).click();
    await dialog.getByText("Give it a name.").waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Active lately");
    expect(await scanAccessibility(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save this view" }).click();
    await dialog.waitFor({ state: "detached" });
    await button("View: Active lately").waitFor();
    await page.evaluate("localStorage.clear()");
    await show("/users");
    await button("Views").click();
    const view = page.getByRole("menuitemradio", { name: "Active lately" });
    await view.waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await view.press("Enter");
    await page.waitForURL(/enabled=true&q=person&sort=-lastSignedInAt$/);
    await button("View: Active lately").click();
    await page.getByRole("menuitem", { name: "Save or remove a view…" }).click();
    await dialog.getByRole("button", { name: "Remove the view Active lately" }).click();
    await dialog.getByText("No view is saved yet.").waitFor();
    await page.keyboard.press("Escape");
    await button("Views").waitFor();
  });
});

describe("rows", () => {
  test("take one line each on request, also after a reload", async () => {
    await show("/users?sort=email");
    const height = async () => (await rows().nth(3).boundingBox())?.height ?? 0;
    await rows().nth(3).waitFor();
    const high = await height();
    await button("One line for each row").click();
    await expect.poll(height).toBeLessThan(high);
    await page.reload();
    await rows().nth(3).waitFor();
    expect(await height()).toBeLessThan(high);
    expect(await button("One line for each row").getAttribute("aria-pressed")).toBe("true");
    expect(await screen.faultsOf("/users?sort=email")).toEqual([]);
    await button("One line for each row").click();
  });

  test("have their actions on a telephone, large enough for a thumb", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await show("/assignments");
    const menu = button("Actions for bruno@acme.example");
    const box = await menu.boundingBox();
    expect(box?.width).toBeGreaterThanOrEqual(44);
    expect(box?.height).toBeGreaterThanOrEqual(44);
    await menu.click();
    await page.getByRole("menuitem", { name: "Explain" }).waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    const hasFocus = () => menu.evaluate((element) => element.matches(":focus"));
    expect(await hasFocus()).toBe(true);
    await menu.press("Enter");
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByRole("dialog").getByText("bruno@acme.example").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await hasFocus()).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("are accessible in light, in dark and on a telephone", async () => {
    for (const path of ["/users", "/assignments", "/sessions", "/sessions/devices"]) {
      expect(await screen.faultsOf(path)).toEqual([]);
    }
  });
});
