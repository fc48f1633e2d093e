import type { Page } from "authz-tools/browser";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { complaints, show } = screen;

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

/** Holds matching requests of the browser until they are released. */
async function holdRequests(what: RegExp): Promise<{ received: () => number; release: () => void }> {
  let received = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(what, async (route) => {
    received += 1;
    await gate;
    await route.continue();
  });
  return { received: () => received, release };
}

const waitForFocus = (name: string) => combobox(name).and(page.locator(":focus")).waitFor({ timeout: 5_000 });

describe("suggestions for earlier text cannot be chosen", () => {
  test("while permissions for the current text are loading", async () => {
    await show("/assignments/new");
    await combobox("Permissions").focus();
    await page.getByRole("option", { name: "authz:administer" }).waitFor();
    const { received, release } = await holdRequests(/\/scopes\?.*q=contracts/);
    await page.keyboard.type("contracts:write");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect([await options(), await pills()]).toEqual([[], []]);
    await expect.poll(received, { timeout: 5_000 }).toBeGreaterThan(0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("Searching…").waitFor();
    expect([await options(), await pills()]).toEqual([[], []]);
    release();
    await expect.poll(options, { timeout: 5_000 }).toEqual([expect.stringContaining("contracts:write")]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await pills()).toEqual(["contracts:write"]);
  });

  test("while people for the current text are loading: the text itself counts", async () => {
    await show("/assignments/new");
    await combobox("Email addresses").fill("lina");
    await page.getByRole("option", { name: "lina@acme.example" }).waitFor();
    await holdRequests(/\/users\?.*q=lina%40other/);
    await page.keyboard.type("@other.example");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await pills()).toEqual(["lina@other.example"]);
  });

  test("while services for the current text, or the chosen one, are loading", async () => {
    await show("/explain?resource=contracts");
    await expect.poll(() => combobox("Service").inputValue()).toBe("Contracts");
    await combobox("Service").focus();
    await page.getByRole("option", { name: "Contracts" }).waitFor();
    const { release } = await holdRequests(/\/resources\?.*q=Nothing/);
    await combobox("Service").fill("Nothing");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await options()).toEqual([]);
    release();
    await page.getByText("Nothing matches.").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).search).toBe("?resource=contracts");
  });
});

describe("Tab leaves a field with suggestions for the next one", () => {
  test("from scrolled permissions, and back", async () => {
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

describe("before a field has loaded, its placeholder", () => {
  const script = /\/suggesting-fields-.*\.js/;

  test("has the same name, and keeps text and focus", async () => {
    const { release } = await holdRequests(script);
    await show("/assignments/new");
    for (const name of ["Email addresses", "Permissions", "For how long?"]) {
      expect(await combobox(name).getAttribute("aria-expanded")).toBe("false");
    }
    await waitForFocus("Email addresses");
    await page.keyboard.type("lina@acme.example");
    await page.keyboard.press("Tab");
    await waitForFocus("Permissions");
    await page.keyboard.type("contracts:w");
    await page.keyboard.press("Enter");
    release();
    await expect.poll(options, { timeout: 5_000 }).toEqual([expect.stringContaining("contracts:write")]);
    await waitForFocus("Permissions");
    await page.keyboard.type("rite");
    expect(await combobox("Permissions").inputValue()).toBe("contracts:write");
    expect(await pills()).toEqual(["lina@acme.example"]);
  });

  test("does not take the focus from another element", async () => {
    const { release } = await holdRequests(script);
    await show("/explain");
    await waitForFocus("Person");
    await page.locator("#content").focus();
    const answered = page.waitForResponse(script);
    release();
    await answered;
    await page.waitForTimeout(300);
    expect(await page.locator("#content:focus").count()).toBe(1);
  });

  test("opens its list when the pointer is released after the field has loaded", async () => {
    const { release } = await holdRequests(script);
    await show("/audit");
    const field = combobox("Any outcome");
    const { x, y } = (await field.boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 20, y + 10);
    await page.mouse.down();
    const answered = page.waitForResponse(script);
    release();
    await answered;
    await page.getByRole("option", { name: "Denied" }).waitFor();
    await page.mouse.up();
    await page.getByRole("option", { name: "Denied" }).click();
    await page.waitForURL(/outcome=denied/);
    expect(complaints).toEqual([]);
  });

  test("finds a service by the typed text, and opens its list with an arrow key", async () => {
    const { release } = await holdRequests(script);
    await show("/explain?email=ada@acme.example");
    await combobox("Person").focus();
    await page.keyboard.press("Tab");
    await waitForFocus("Service");
    await page.keyboard.type("Contr");
    release();
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
