import { randomUUID } from "node:crypto";
import { findHost, remoteServer } from "@authz/agent-tools/hosts";
import { scanAccessibility } from "authz-tools/accessibility";
import { type Browser, launchBrowser, type Page } from "authz-tools/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentsScope } from "../../../src/store/system-scopes.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let browser: Browser;
beforeAll(async () => {
  [system, browser] = await Promise.all([startOauthServer(), launchBrowser()]);
  const rule = { id: randomUUID(), email: "ada@acme.example", scope: agentsScope };
  await system.server.context.store.assignments.insertMissing(rule, new Date());
});
afterAll(async () => {
  await browser.close();
  await system.close();
});

/** The account page of Ada, and what the browser complains about. */
async function openAccount(
  options: Parameters<Browser["newContext"]>[0],
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ locale: "en-US", ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(`${system.issuer}/sign-in`);
  await page.getByText(/^Ada/).click();
  await page.getByRole("heading", { name: "Connect your agent" }).waitFor();
  return { page, complaints };
}

test("a person chooses a host with the keyboard and copies its lines", async () => {
  const { page, complaints } = await openAccount({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("radio", { name: "Claude Code" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(async () => await page.getByRole("radio", { name: "Codex" }).isChecked()).toBe(true);
  const lines = "codex mcp add authz --url ";
  await expect.poll(async () => await page.getByText(lines).isVisible()).toBe(true);
  expect(await page.getByText("claude mcp add").isVisible()).toBe(false);
  // The lines, then the button beside them.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(async () => await page.getByRole("status").innerText()).toBe("Copied");
  const { command } = findHost("codex")?.setup("authz", remoteServer(system.issuer)) ?? {};
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
    `${command ?? ""}\ncodex mcp login authz`,
  );
  expect([complaints, await scanAccessibility(page)]).toEqual([[], []]);
});

test("without scripts the hosts can be chosen as well, and no button promises to copy", async () => {
  const { page } = await openAccount({ javaScriptEnabled: false });
  await page.getByText("opencode", { exact: true }).click();
  expect(await page.getByText("opencode mcp auth authz").isVisible()).toBe(true);
  expect(await page.getByRole("button", { name: "Copy" }).count()).toBe(0);
});
