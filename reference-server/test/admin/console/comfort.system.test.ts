import { randomUUID } from "node:crypto";
import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { beforeAll, describe, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";
import { resourceRecord } from "../../support/records.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { complaints, heading, show } = screen;

beforeAll(async () => {
  system = await screen.start();
  page = await screen.open("/admin/scopes");
  page.setDefaultTimeout(20_000);
});

/** The focused element and its text. */
const focused = () =>
  page.evaluate("`${document.activeElement.localName}: ${document.activeElement.textContent.trim()}`");

describe("the focus", () => {
  test("returns to the opener of the palette, also after Escape", async () => {
    await show("/scopes");
    const opener = page.locator(".palette-button");
    await opener.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Command palette" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await opener.evaluate((element) => element.matches(":focus"))).toBe(true);
  });

  test("returns to the opener of a dialog, or to the content if that is gone", async () => {
    await show("/scopes/contracts%3Aread");
    const opener = page.getByRole("button", { name: "Delete", exact: true });
    await opener.click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await opener.evaluate((element) => element.matches(":focus"))).toBe(true);
    await opener.click();
    await page.getByRole("dialog").waitFor();
    await opener.evaluate((element) => element.remove());
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.locator("#content").evaluate((element) => element.matches(":focus"))).toBe(true);
  });

  test("stays on the save button after the preview, after saving, and after undoing", async () => {
    await show("/scopes/invoices%3Aread");
    const save = page.getByRole("button", { name: "Save", exact: true });
    const hasFocus = () => save.evaluate((element) => element.matches(":focus"));
    await page.getByRole("textbox", { name: "Description" }).fill("See invoices");
    await save.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(hasFocus).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Enter");
    const undo = page.getByRole("button", { name: "Undo", exact: true });
    await undo.waitFor();
    await expect.poll(hasFocus).toBe(true);
    await undo.focus();
    await page.keyboard.press("Enter");
    await undo.waitFor({ state: "detached" });
    await expect.poll(hasFocus).toBe(true);
    // Nothing is left to save, so the button is disabled for assistive technology and does nothing.
    expect(await save.getAttribute("aria-disabled")).toBe("true");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("moves to the heading of a new screen, or to its first field", async () => {
    await show("/scopes");
    expect(await focused()).not.toContain("h1");
    await page.getByRole("link", { name: "Groups", exact: true }).first().click();
    await heading("Groups").waitFor();
    await expect.poll(focused).toBe("h1: Groups");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await heading("Permissions").waitFor();
    await expect.poll(focused).toBe("h1: Permissions");
    await page.keyboard.press("n");
    await heading("New permission").waitFor();
    expect(await focused()).toContain("input");
  });
});

describe("a screen", () => {
  test("fits in German, even with long names", async () => {
    const { server, issuer } = system;
    const { store } = server.context;
    const at = new Date();
    const name = "x".repeat(150);
    await store.resources.save(
      resourceRecord({
        id: randomUUID(),
        key: "k".repeat(60),
        resource: `https://${name}.example/api`,
        requestPrefixes: [`https://${name}.example/api`],
        supportedScopes: ["contracts:read"],
      }),
      at,
    );
    await store.appHosts.save({ host: "claude.ai", name: "Claude", allowed: true }, at);
    const german = await screen.openInGerman();
    const screens = {
      "/app-hosts": [1024],
      "/audit/verification": [320],
      [`/resources/${"k".repeat(60)}`]: [320, 1024],
      "/scopes/contracts%3Aread": [320],
    };
    const tooWide: string[] = [];
    for (const [path, sizes] of Object.entries(screens)) {
      await german.goto(`${issuer}/admin${path}`);
      await german.getByRole("heading", { level: 1 }).waitFor();
      await german.locator("[aria-busy=true], .table-placeholder").first().waitFor({ state: "detached" });
      for (const summary of await german.locator("summary").all()) await summary.click();
      for (const width of sizes) {
        await german.setViewportSize({ width, height: 800 });
        const fits = `document.documentElement.scrollWidth <= ${width}`;
        await german
          .waitForFunction(fits, undefined, { timeout: 3_000 })
          .catch(() => tooWide.push(`${path} at ${width}`));
      }
    }
    await german.close();
    expect(tooWide).toEqual([]);
  });

  test("of a missing object has a heading", async () => {
    for (const path of ["/users/ada", "/scopes/nothing%3Ahere"]) {
      await show(path);
      await heading("This is not there").waitFor();
      expect(await page.title()).toBe("This is not there · Acme");
      expect(await scanAccessibility(page)).toEqual([]);
    }
    expect(await page.getByText("must be a UUID").count()).toBe(0);
  });

  test("has no empty heading", async () => {
    await show("/explain");
    expect(await page.locator("h1:empty, h2:empty, h3:empty").count()).toBe(0);
  });

  test("shows an outline before its code and its session have loaded", async () => {
    for (const late of ["**/api/admin/v1/session", "**/admin/assets/*.js"]) {
      let arrive: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (arrive = resolve));
      await page.route(late, async (route) => {
        await held;
        await route.continue();
      });
      const opening = page.goto(`${system.issuer}/admin/scopes`);
      await page.locator(".starting > span").first().waitFor();
      arrive();
      await opening;
      await heading("Permissions").waitFor();
      await page.unroute(late);
    }
    expect(complaints).toEqual([]);
  });
});

describe("a field", () => {
  test("shows its placeholder in gray while it is invalid", async () => {
    await show("/scopes/new");
    const field = page.locator("input[name=key]");
    const color = () => field.evaluate("element => getComputedStyle(element, '::placeholder').color");
    const gray = await color();
    await page.getByRole("button", { name: "Create the permission" }).click();
    await page.locator("input[name=key][aria-invalid=true]").waitFor();
    expect(await color()).toBe(gray);
  });

  test("keeps its icon below sticky buttons on a telephone", async () => {
    await page.setViewportSize({ width: 390, height: 700 });
    await show("/identity-providers/new");
    const sign = page.locator(".mantine-PasswordInput-visibilityToggle");
    await sign.waitFor();
    // Moves the buttons over the icon, as scrolling does.
    const above = await page.evaluate(`(() => {
      const sign = document.querySelector(".mantine-PasswordInput-visibilityToggle");
      const buttons = document.querySelector(".edit-buttons");
      sign.scrollIntoView({ block: "center" });
      const { top, left, height } = sign.getBoundingClientRect();
      buttons.style.position = "relative";
      buttons.style.top = top - buttons.getBoundingClientRect().top + "px";
      return document.elementFromPoint(left + 4, top + height / 2).closest(".edit-buttons") !== null;
    })()`);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(above).toBe(true);
  });
});

test("the account menu marks the chosen options with menu roles", async () => {
  await show("/scopes");
  await page.getByRole("button", { name: /^Your account: / }).click();
  await page.getByRole("menu").waitFor();
  expect(await page.getByRole("menuitemradio", { checked: true }).allInnerTexts()).toEqual([
    "Match the system",
    "English",
  ]);
  expect(await scanAccessibility(page)).toEqual([]);
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  await page.getByRole("menuitemradio", { name: "Match the system" }).click();
  expect(await page.getByRole("menu").isVisible()).toBe(true);
  await page.keyboard.press("Escape");
});
