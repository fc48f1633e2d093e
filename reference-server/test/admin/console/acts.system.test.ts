import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { beforeAll, describe, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import { createBrowser, signIn } from "../../support/device.js";
import type { OauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { button, heading, show } = screen;

beforeAll(async () => {
  system = await screen.start();
  await adaSignsIn();
  page = await screen.open("/admin/scopes");
  page.setDefaultTimeout(12_000);
});

const adaSignsIn = () => signIn(createBrowser(), `${system.issuer}/admin`, "ada");
const ada = () => system.server.context.store.users.findByEmail("ada@acme.example");
const option = (name: string | RegExp) => page.getByRole("option", { name });
const toast = (text: string) => page.locator(".toast", { hasText: text });

async function command(text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill(text);
}

describe("the palette", () => {
  test("opens the person's dialog, changes nothing before confirmation, and offers to undo", async () => {
    await show("/scopes");
    await command("disable ada");
    await option(/^Disable Ada Lovelace…/).waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Disable Ada Lovelace?" });
    await dialog
      .getByText(/loses|Nobody gains/)
      .first()
      .waitFor();
    expect((await ada())?.enabled).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect((await ada())?.enabled).toBe(true);
    await command("disable ada");
    await option(/^Disable Ada Lovelace…/).click();
    await dialog.getByRole("button", { name: "Disable", exact: true }).click();
    await toast("Ada Lovelace is disabled.").waitFor();
    expect((await ada())?.enabled).toBe(false);
    expect(await scanAccessibility(page)).toEqual([]);
    await page.keyboard.press("z");
    await toast("Ada Lovelace is enabled again. Browsers and apps stay signed out.").waitFor();
    expect((await ada())?.enabled).toBe(true);
    expect(await system.audit("user.changed")).toHaveLength(2);
  });

  test("does not undo an object that has changed since", async () => {
    await command("disable ada");
    await option(/^Disable Ada Lovelace…/).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable", exact: true }).click();
    await toast("Ada Lovelace is disabled.").waitFor();
    const { store } = system.server.context;
    const id = String((await ada())?.id);
    await store.users.setEnabled(id, true, new Date());
    await button("Undo").click();
    await toast("Not undone.").waitFor();
    expect((await ada())?.enabled).toBe(true);
    await page.locator(".toast").getByRole("button", { name: "Close" }).click();
  });

  test("explains and gives named scopes, completed from known ones", async () => {
    await command("explain ada contracts:wr");
    await option(/^Explain Ada Lovelace: contracts:write/).waitFor();
    await page.keyboard.press("Enter");
    await heading("Explain").waitFor();
    expect(new URL(page.url()).search).toBe("?email=ada%40acme.example&scope=contracts%3Awrite");
    await command("give ada contracts:write");
    await option(/^Give contracts:write to Ada Lovelace…/).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 person gains").waitFor();
    await dialog.getByRole("button", { name: /^Give/ }).click();
    await button("Undo").click();
    await toast("What was given to ada@acme.example is taken back.").waitFor();
    expect(await system.audit("assignment.created")).toHaveLength(1);
    expect(await system.audit("assignment.removed")).toHaveLength(1);
  });

  test("applies Enter to the current text, not to earlier results", async () => {
    await command("explain ada");
    await option(/^Explain Ada Lovelace/).waitFor();
    await page.getByRole("combobox", { name: "Command palette" }).fill("explain bruno");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).search).toBe("?email=bruno%40acme.example");
    await heading("Explain").waitFor();
  });

  test("stages a key after confirmation, and the overview shows it", async () => {
    await show("/scopes");
    await command("rotate key");
    await option("Rotate the signing key…").click();
    await page.getByRole("dialog", { name: "Stage a new key?" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Stage a new key" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await show("/");
    await page.getByText("it starts signing automatically.").waitFor();
    expect(await system.audit("signing_key.scheduled")).toHaveLength(1);
  });

  test("offers its acts and completes them in the field", async () => {
    await command("");
    await option("Disable a person…").click();
    const field = page.getByRole("combobox", { name: "Command palette" });
    expect(await field.inputValue()).toBe("disable ");
    await field.pressSequentially("ada");
    await option(/^Disable Ada Lovelace…/).waitFor();
    await page.keyboard.press("Escape");
  });
});

describe("the audit trail, live", () => {
  const rows = () => page.locator("tbody tr[data-index], tbody tr[data-clickable]");
  const first = () => rows().first().innerText();

  test("shows new events on top, with their number", async () => {
    await show("/audit?type=sign_in.completed");
    await rows().first().waitFor();
    const before = await rows().count();
    await page.getByRole("switch", { name: "Live" }).check({ force: true });
    await page.waitForURL(/live=on/);
    await adaSignsIn();
    await page.getByRole("status").filter({ hasText: "1 new event" }).waitFor();
    expect(await rows().count()).toBe(before + 1);
    expect(await first()).toContain("Ada Lovelace");
    expect(await scanAccessibility(page)).toEqual([]);
  });

  test("holds them back while the list is scrolled down", async () => {
    await page.setViewportSize({ width: 1280, height: 320 });
    await page.evaluate("window.scrollTo(0, 400)");
    const before = await rows().count();
    await adaSignsIn();
    const waiting = button("1 new event");
    await waiting.waitFor();
    expect(await rows().count()).toBe(before);
    expect(await page.evaluate("window.scrollY")).toBeGreaterThan(150);
    await waiting.click();
    await expect.poll(() => rows().count()).toBe(before + 1);
    expect(await page.evaluate("window.scrollY")).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("does not poll in a past period", async () => {
    await show("/audit?live=on&to=2026-01-01T00%3A00%3A00.000Z");
    expect(await page.getByRole("switch", { name: "Live" }).count()).toBe(0);
  });
});
