import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import type { Page } from "authz-tools/browser";
import { findFreePort } from "authz-tools/network";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { recordAudit } from "../../../src/audit/record.js";
import { sealAndIndex } from "../../support/audit-index.js";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

/**
 * The tasks of an administrator, each from the page of its area and with its number of mouse clicks; typing does not count.
 * Each has its own people, services and groups, and depends on no other task.
 */
let system: OauthServer;
let page: Page;
let services: readonly FastifyInstance[];
let origins: readonly string[];
const screen = createConsoleWindow();
const { button, field, heading, row, show } = screen;

beforeAll(async () => {
  system = await screen.start();
  const started = await Promise.all([startService("Reports"), startService("Ledger")]);
  services = started.map(({ service }) => service);
  origins = started.map(({ origin }) => origin);
  await system.database.query(
    `INSERT INTO group_providers (id, key, name, type, identity_provider_id)
    SELECT gen_random_uuid(), 'acme-groups', 'Acme groups', 'claim', id FROM identity_providers LIMIT 1`,
  );
  const people = { clara: "Clara Nowak", lina: "Lina Park", nora: "Nora Lind" };
  for (const [name, fullName] of Object.entries(people)) {
    await system.database.query("INSERT INTO users (id, email, name) VALUES ($1, $2, $3)", [
      randomUUID(),
      `${name}@acme.example`,
      fullName,
    ]);
  }
  const given = [
    { id: randomUUID(), email: "ada@acme.example", scope: "invoices:read" },
    { id: randomUUID(), email: "nora@acme.example", scope: "contracts:read" },
  ];
  await system.server.context.store.assignments.insertAllMissing(given, new Date());
  page = await screen.open("/admin/resources");
  await page.exposeFunction("countPointer", () => {
    clicks += 1;
  });
  await page.addInitScript("addEventListener('pointerdown', () => countPointer(), true)");
});
afterAll(() => Promise.all(services.map((service) => service.close())));

/** Mouse clicks, counted by the browser. */
let clicks = 0;
beforeEach(() => {
  clicks = 0;
});

async function startService(name: string) {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const authz = initAuthz(system.issuer, {
    resource: `${origin}/api`,
    publicOrigin: origin,
    clientId: "authz-cli",
    supportedScopes: ["invoices:read"],
    resourceName: name,
    signingKey: { kid: "one", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    allowInsecureLoopback: true,
  });
  const service = fastify();
  authz.registerRoutes(service);
  await authz.ready();
  await service.listen({ port, host: "127.0.0.1" });
  return { service, origin };
}

/** The impact shown in the form. */
const beside = () => page.getByRole("region", { name: "What this changes" });

async function choose(name: string, text: string): Promise<void> {
  await page.getByRole("combobox", { name }).fill(text);
  await found(text);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
}

/** Waits until this is the only suggestion. */
async function found(text: string): Promise<void> {
  await expect.poll(() => page.getByRole("option").allInnerTexts()).toEqual([expect.stringContaining(text)]);
}

describe("with the mouse, as are a second provider and a connector in tested.system.test.ts", () => {
  test("a service is registered with two clicks, after a preview of who gets access", async () => {
    await show("/resources");
    await button("Register a service").first().click();
    await page.getByLabel("Address of the service").fill(origins[0] ?? "");
    await page.keyboard.press("Enter");
    await beside().getByText("What people can use at Reports:").waitFor();
    await beside().getByText("1 person gains").waitFor();
    await button("Register the service").click();
    await heading("Reports").waitFor();
    expect(clicks).toBe(2);
  });

  test("a permission is given to a group with three clicks, after a preview", async () => {
    await show("/assignments");
    await button("Give permissions").first().click();
    await page.getByText("A group", { exact: true }).click();
    await page.getByRole("combobox", { name: "Group", exact: true }).fill("legal");
    await choose("Permissions", "contracts:write");
    await beside()
      .getByText("legal: neither a sign-in nor another assignment has named this group")
      .waitFor();
    await button("Give permissions").click();
    await row("legal").getByText("contracts:write").waitFor();
    expect(clicks).toBe(3);
  });

  test("Clara's missing permissions are given with two clicks", async () => {
    await show("/explain");
    await page.getByRole("combobox", { name: "Person" }).fill("clara@acme.example");
    await choose("Service", "Contracts");
    await heading("No. Clara Nowak may not do this.").waitFor();
    await page.getByRole("button", { name: /^Give all \d missing permissions$/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 person gains").first().waitFor();
    await dialog.getByRole("button", { name: /^Give \d permissions$/ }).click();
    await heading("Yes. Clara Nowak may do this.").waitFor();
    expect(clicks).toBe(2);
  });

  test("a person is disabled with three clicks", async () => {
    await show("/users?q=lina");
    await row("Lina Park").getByRole("link", { name: "Lina Park" }).click();
    await button("Disable").click();
    await page.getByRole("dialog").getByText("Nobody gains or loses anything.").waitFor();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Disable/ })
      .click();
    await page.getByRole("heading", { name: /^Lina Park is disabled/ }).waitFor();
    expect(clicks).toBe(3);
  });

  test("the signing key is rotated with two clicks", async () => {
    await show("/signing-keys");
    await button("Stage a new key").click();
    await page.getByRole("dialog").getByRole("button", { name: "Stage a new key" }).click();
    await page.getByText("A new key is staged. It starts signing automatically.").waitFor();
    expect(clicks).toBe(2);
  });

  test("yesterday's denials are exported as CSV with three clicks", async () => {
    const { store } = system.server.context;
    const [ada] = await system.database.query<{ id: string }>("SELECT id FROM users LIMIT 1");
    const data = {
      grantType: "refresh_token",
      grantId: null,
      error: "invalid_scope",
      reason: "scope_not_assigned",
      resource: system.resource.resource,
      scopes: ["contracts:write"],
    };
    const refused = { type: "token.refused", outcome: "denied", subject: ada?.id ?? "", data } as const;
    const yesterday = new Date(Date.now() - 24 * 3_600_000);
    const actor = { type: "client", id: "authz-cli" } as const;
    await recordAudit(store, { ...refused, clientId: "authz-cli", actor, at: yesterday });
    await sealAndIndex(system.server.context);
    await show("/audit");
    await button("Denied yesterday").click();
    await row("Token refused").filter({ hasText: "contracts:write" }).waitFor();
    await button("Export").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "As CSV" }).click(),
    ]);
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('"scope_not_assigned"');
    expect(clicks).toBe(3);
  });

  test("a skill is published with two clicks, after a preview of its audience", async () => {
    await show("/skills");
    await button("Write a skill").first().click();
    await page.getByLabel("Title").fill("File a contract");
    await page.getByLabel("Content").fill("# Steps\n\nRun `authz request`.");
    await beside()
      .getByText(/^No agent sees a draft\. Once it is published, \d people could see it\.$/)
      .waitFor();
    await button("Publish").click();
    await heading("File a contract").waitFor();
    await page.getByText("Published", { exact: true }).waitFor();
    expect(clicks).toBe(2);
  });

  test("a draft of a skill is published with one click on its page, which shows its audience", async () => {
    await show("/skills");
    await button("Write a skill").first().click();
    await page.getByLabel("Title").fill("Approve a contract");
    await page.getByLabel("Content").fill("# Steps\n\nAsk first.");
    await beside()
      .getByText(/^No agent sees a draft/)
      .waitFor();
    await button("Save the draft").click();
    await heading("Approve a contract").waitFor();
    const { ownSkills } = system.server.context.store;
    expect(await ownSkills.find("approve-a-contract")).toBeUndefined();
    await page.getByText("As an agent reads it").click();
    await page.locator("pre").getByText("name: installation-approve-a-contract").waitFor();
    const draft = page.getByRole("region", { name: "Draft" });
    await draft.getByText(/people could see it\.$/).waitFor();
    clicks = 0;
    await draft.getByRole("button", { name: "Publish" }).click();
    await draft.waitFor({ state: "detached" });
    expect(await ownSkills.find("approve-a-contract")).toMatchObject({ title: "Approve a contract" });
    expect(clicks).toBe(1);
  });

  test("a machine is registered with two clicks, and its private key is saved as a file", async () => {
    await show("/clients?type=machine");
    await button("Register an app").first().click();
    await field("Name").fill("Nightly report");
    await field("Client ID").fill("nightly-report");
    await choose("What it may do", "contracts:read");
    await beside().getByText("The machine gains contracts:read.").waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), button("Register the app").click()]);
    expect(await readFile(await download.path(), "utf8")).toContain('"privateJwk"');
    await heading("Next step: a first call").waitFor();
    expect(clicks).toBe(2);
  });
});

describe("with the keyboard alone", () => {
  /** The focused element, as a screen reader announces it. */
  const focused = async () =>
    String(
      await page.evaluate(
        "(() => { const e = document.activeElement; return e === null ? '' : (e.getAttribute('aria-label') ?? e.innerText ?? '') || e.getAttribute('name') || e.id; })()",
      ),
    );
  /** Presses Tab until an element with this name is focused; each focused element has to be visible. */
  async function tabTo(name: RegExp): Promise<void> {
    for (let count = 0; count < 60; count += 1) {
      if (name.test(await focused())) return;
      await page.keyboard.press("Tab");
      await expect.poll(whatHides, { timeout: 5_000 }).toBe("");
    }
    throw new Error(`Tab does not reach ${String(name)}.`);
  }
  /** The focused element, if its focus is invisible. */
  const whatHides = async () =>
    await page.evaluate(
      "(() => { const e = document.activeElement; const { width, height } = (e.type === 'checkbox' ? e.parentElement : e).getBoundingClientRect(); return e !== document.body && width > 0 && height > 0 && e.matches(':focus-visible') ? '' : e.outerHTML.slice(0, 300); })()",
    );
  /** Opens an area with two letters, which also moves the focus. */
  async function goTo(letters: string, title: string): Promise<void> {
    for (const letter of letters) {
      await page.keyboard.press(letter);
    }
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    await expect.poll(focused).toBeTruthy();
  }
  const home = async () => {
    await show("/settings");
    await page.locator("#content").focus();
  };

  test("a service is registered", async () => {
    await home();
    await goTo("gr", "Services");
    await page.keyboard.press("n");
    await heading("Register a service").waitFor();
    await page.keyboard.type(origins[1] ?? "");
    await page.keyboard.press("Enter");
    await beside().getByText("What people can use at Ledger:").waitFor();
    await tabTo(/^Register the service$/);
    await page.keyboard.press("Enter");
    await heading("Ledger").waitFor();
    expect(await focused()).not.toBe("");
    expect(clicks).toBe(0);
  });

  test("a permission is given to a group", async () => {
    await home();
    await goTo("ga", "Assignments");
    await page.keyboard.press("n");
    await heading("Give permissions").waitFor();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("combobox", { name: "Group", exact: true }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("finance");
    await page.keyboard.press("Tab");
    await page.keyboard.type("contracts:read");
    await found("contracts:read");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await beside().getByText("finance: neither a sign-in").waitFor();
    await page.keyboard.press("Control+Enter");
    await row("finance").getByText("contracts:read").waitFor();
    expect(clicks).toBe(0);
  });

  test("Fred's missing permissions are given", async () => {
    await home();
    await goTo("ge", "Explain");
    await page.keyboard.type("fred@acme.example");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Contracts");
    await found("Contracts");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^No\. .* may not do this\.$/ }).waitFor();
    await tabTo(/^Give all \d missing permissions$/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("1 person gains").first().waitFor();
    await tabTo(/^Give \d permissions$/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Yes\. .* may do this\.$/ }).waitFor();
    expect(await focused()).not.toBe("");
    expect(clicks).toBe(0);
  });

  test("a person is disabled, and the focus returns from the dialog", async () => {
    await home();
    await goTo("gp", "People");
    await page.keyboard.press("/");
    await page.keyboard.type("nora");
    await row("Lina Park").waitFor({ state: "detached" });
    await tabTo(/^Nora Lind$/);
    await page.keyboard.press("Enter");
    await heading("Nora Lind").waitFor();
    await tabTo(/^Disable$/);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 person loses").first().waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(focused).toBe("Disable");
    await page.keyboard.press("Enter");
    await dialog.getByText("1 person loses").first().waitFor();
    await tabTo(/^Disable$/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Nora Lind is disabled/ }).waitFor();
    expect(clicks).toBe(0);
  });
});
