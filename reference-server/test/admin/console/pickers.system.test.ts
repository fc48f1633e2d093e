import type { Page } from "authz-tools/browser";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { show } = screen;

beforeAll(async () => {
  system = await screen.start();
  await system.database.query(
    `INSERT INTO scopes (key, description)
    SELECT 'reports:' || number, 'Report ' || number FROM generate_series(1, 20) number`,
  );
  await system.database.query(
    "INSERT INTO users (id, email, name) VALUES (gen_random_uuid(), 'lina@acme.example', 'Lina Park')",
  );
  page = await screen.open("/admin");
});
afterEach(() => page.unrouteAll({ behavior: "ignoreErrors" }));

const combobox = (name: string) => page.getByRole("combobox", { name, exact: true });
const options = () => page.getByRole("option").allInnerTexts();
const pills = () => page.locator(".mantine-Pill-label").allInnerTexts();

/** Keeps back what the browser asks for, until it is let go. */
async function holdBack(what: RegExp): Promise<{ asked: () => number; letGo: () => void }> {
  let asked = 0;
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(what, async (route) => {
    asked += 1;
    await gate;
    await route.continue();
  });
  return { asked: () => asked, letGo };
}

const waitForFocus = (name: string) => combobox(name).and(page.locator(":focus")).waitFor({ timeout: 5_000 });

describe("what is suggested for other words cannot be taken", () => {
  test("while the permissions for what is typed are not there", async () => {
    await show("/assignments/new");
    await combobox("Permissions").focus();
    await page.getByRole("option", { name: "authz:administer" }).waitFor();
    const { asked, letGo } = await holdBack(/\/scopes\?.*q=contracts/);
    await page.keyboard.type("contracts:write");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect([await options(), await pills()]).toEqual([[], []]);
    await expect.poll(asked, { timeout: 5_000 }).toBeGreaterThan(0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("Searching…").waitFor();
    expect([await options(), await pills()]).toEqual([[], []]);
    letGo();
    await expect.poll(options, { timeout: 5_000 }).toEqual([expect.stringContaining("contracts:write")]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await pills()).toEqual(["contracts:write"]);
  });

  test("while the people for what is typed are not there: what is typed is", async () => {
    await show("/assignments/new");
    await combobox("Email addresses").fill("lina");
    await page.getByRole("option", { name: "lina@acme.example" }).waitFor();
    await holdBack(/\/users\?.*q=lina%40other/);
    await page.keyboard.type("@other.example");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await pills()).toEqual(["lina@other.example"]);
  });

  test("while the services for what is typed are not there, nor the one that is chosen", async () => {
    await show("/explain?resource=contracts");
    await expect.poll(() => combobox("Service").inputValue()).toBe("Contracts");
    await combobox("Service").focus();
    await page.getByRole("option", { name: "Contracts" }).waitFor();
    const { letGo } = await holdBack(/\/resources\?.*q=Nothing/);
    await combobox("Service").fill("Nothing");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await options()).toEqual([]);
    letGo();
    await page.getByText("Nothing matches.").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).search).toBe("?resource=contracts");
  });
});

describe("Tab leaves a field that suggests for the next one", () => {
  test("from permissions that scroll, and back", async () => {
    await show("/assignments/new");
    await waitForFocus("Email addresses");
    await page.keyboard.press("Tab");
    await waitForFocus("Permissions");
    await expect.poll(async () => (await options()).length, { timeout: 5_000 }).toBe(20);
    await page.keyboard.press("Tab");
    await waitForFocus("For how long?");
    await page.keyboard.press("Shift+Tab");
    await waitForFocus("Permissions");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+Tab");
    await waitForFocus("Email addresses");
  });
});

describe("before a field is loaded, what stands in its place", () => {
  const script = /\/suggesting-fields-.*\.js/;

  test("is called the same, and keeps what is typed and where the focus is", async () => {
    const { letGo } = await holdBack(script);
    await show("/assignments/new");
    for (const name of ["Email addresses", "Permissions", "For how long?"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await combobox(name).getAttribute("aria-expanded")).toBe("false");
    }
    await waitForFocus("Email addresses");
    await page.keyboard.type("lina@acme.example");
    await page.keyboard.press("Tab");
    await waitForFocus("Permissions");
    await page.keyboard.type("contracts:w");
    await page.keyboard.press("Enter");
    letGo();
    await expect.poll(options, { timeout: 5_000 }).toEqual([expect.stringContaining("contracts:write")]);
    await waitForFocus("Permissions");
    await page.keyboard.type("rite");
    expect(await combobox("Permissions").inputValue()).toBe("contracts:write");
    expect(await pills()).toEqual(["lina@acme.example"]);
  });

  test("leaves the focus where somebody has gone meanwhile", async () => {
    const { letGo } = await holdBack(script);
    await show("/explain");
    await waitForFocus("Person");
    await page.locator("#content").focus();
    const answered = page.waitForResponse(script);
    letGo();
    await answered;
    await page.waitForTimeout(300);
    expect(await page.locator("#content:focus").count()).toBe(1);
  });

  test("opens its list for a button that is let go of when the field has taken the place", async () => {
    const { letGo } = await holdBack(script);
    await show("/audit");
    const field = combobox("Any outcome");
    const { x, y } = (await field.boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 20, y + 10);
    await page.mouse.down();
    const answered = page.waitForResponse(script);
    letGo();
    await answered;
    await page.getByRole("option", { name: "Denied" }).waitFor();
    await page.mouse.up();
    await page.getByRole("option", { name: "Denied" }).click();
    await page.waitForURL(/outcome=denied/);
  });

  test("finds a service by what was typed, and opens its list by an arrow key", async () => {
    const { letGo } = await holdBack(script);
    await show("/explain?email=ada@acme.example");
    await combobox("Person").focus();
    await page.keyboard.press("Tab");
    await waitForFocus("Service");
    await page.keyboard.type("Contr");
    letGo();
    await expect.poll(options, { timeout: 5_000 }).toEqual([expect.stringContaining("Contracts")]);
    expect(await combobox("Service").inputValue()).toBe("Contr");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => new URL(page.url()).searchParams.get("resource"), { timeout: 5_000 })
      .toBe("contracts");
    expect(await combobox("Service").inputValue()).toBe("Contracts");
  });
});
