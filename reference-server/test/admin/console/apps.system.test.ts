import { randomUUID } from "node:crypto";
import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { beforeAll, describe, expect, test } from "vitest";
import { recordAudit } from "../../../src/audit/record.js";
import { type Client, registeredClient } from "../../../src/store/clients.js";
import { sealAndIndex } from "../../support/audit-index.js";
import { createConsoleWindow, signInPerson } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

const claude = "https://claude.ai/oauth/claude-code-client-metadata";
let system: OauthServer;
let page: Page;
let ada: string;
const screen = createConsoleWindow();
const { button, field, row, show } = screen;

beforeAll(async () => {
  system = await screen.start();
  ada = (await signInPerson(system, { email: "ada@acme.example", name: "Ada Lovelace" })).id;
  await addClaude();
  await ask("claude.ai");
  await ask("tools.example");
  page = await screen.open("/admin/app-hosts");
});

async function ask(host: string): Promise<void> {
  const clientId = `https://${host}/oauth/client.json`;
  await system.server.context.store.appRequests.add({ host, userId: ada, clientId, askedAt: new Date() });
}

/** Claude Code, registered before its host was refused; Ada has signed in with it and used it at a service. */
async function addClaude(): Promise<void> {
  const { store } = system.server.context;
  const at = new Date();
  const client: Client = {
    ...registeredClient,
    id: claude,
    name: "Claude Code",
    type: "public",
    source: "metadata_document",
    redirectUris: ["http://localhost/callback", "http://127.0.0.1/callback"],
    grantTypes: ["authorization_code", "refresh_token"],
    keys: [],
    dpopBound: false,
    trusted: false,
    builtIn: false,
    enabled: true,
  };
  await store.clients.save(client, at);
  const document = { clientId: claude, host: "claude.ai", digest: Buffer.alloc(32), etag: null };
  await store.clientDocuments.save({ ...document, fetchedAt: at, freshUntil: at, countsUntil: at });
  await system.database.query(
    `INSERT INTO grants (id, user_id, client_id, resource_id, scopes, auth_time, amr, created_at, expires_at)
    SELECT $1, $2, $3, id, '{contracts:read}', $4, '{}', $4, $5 FROM resources WHERE key = 'contracts'`,
    [randomUUID(), ada, claude, at, new Date(at.getTime() + 3_600_000)],
  );
  const data = {
    grantId: "g",
    tokenId: "t",
    resource: "https://contracts.example/api",
    scopes: [],
    jkt: null,
  };
  const common = { actor: { type: "user", id: ada }, subject: ada, clientId: claude, at } as const;
  await recordAudit(store, { ...common, type: "assertion.issued", outcome: "success", data });
  await sealAndIndex(system.server.context);
}

const section = (name: string) =>
  page.getByRole("heading", { name, level: 2 }).locator("xpath=ancestor::section[1]");

describe("hosts", () => {
  test("with requests are counted in the navigation, and allowed with one click", async () => {
    await page.getByRole("link", { name: "App hosts (2 wait for a decision)" }).waitFor();
    const asked = section("People ask for these");
    await asked.getByText("Asked for by one person").first().waitFor();
    await button("Who asked for claude.ai", asked).click();
    const dialog = page.getByRole("dialog", { name: "Who asked for claude.ai" });
    await dialog.getByRole("link", { name: "Ada Lovelace" }).waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await button("Allow claude.ai", asked).click();
    await page.getByText("Apps from claude.ai are allowed.").waitFor();
    await row("claude.ai").getByText("Allowed").waitFor();
    await page.getByRole("link", { name: "App hosts (one waits for a decision)" }).waitFor();
    expect(await system.server.context.store.clients.find(claude)).toMatchObject({ trusted: true });
  });

  test("are refused after a preview of the apps that stop", async () => {
    await button("Stop allowing claude.ai").click();
    const dialog = page.getByRole("dialog", { name: "Stop allowing apps from claude.ai?" });
    await dialog.getByText("Claude Code: would no longer get in.").waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await button("Stop allowing", dialog).click();
    await row("claude.ai").getByText("Refused").waitFor();
    await button("Allow claude.ai", row("claude.ai")).click();
    await button("Allow", page.getByRole("dialog")).click();
    await row("claude.ai").getByText("Allowed").waitFor();
    await button("Allow vscode.dev").click();
    await row("Visual Studio Code").getByText("Allowed").waitFor();
  });

  test("are added from a pasted address", async () => {
    await show("/app-hosts/new");
    await field("Host").fill("https://Apps.Example:8443/oauth/client.json");
    await field("Name").fill("Own apps");
    await page.getByRole("region", { name: "What this changes" }).getByText("Nobody gains").waitFor();
    await button("Allow the host").click();
    await row("Own apps").getByText("apps.example:8443").waitFor();
    await row("Own apps").getByRole("link").click();
    await page.getByRole("heading", { name: "Own apps", level: 1 }).waitFor();
    await button("Take off the list").click();
    await field("Type apps.example:8443 to confirm").fill("apps.example:8443");
    await button("Take off the list", page.getByRole("dialog")).click();
    await page.getByText("apps.example:8443 is off the list.").waitFor();
    expect(await system.server.context.store.appHosts.describe("apps.example:8443")).toBeUndefined();
  });

  test("decide nothing while the policy does, which says before what stops", async () => {
    await show("/app-hosts/policy");
    await page.getByText("None", { exact: true }).click();
    await button("Save").click();
    const dialog = page.getByRole("dialog", { name: "What this changes" });
    await dialog.getByText("Claude Code: would no longer get in.").waitFor();
    await button("Save this change", dialog).click();
    await page.getByText("Saved.").waitFor();
    await show("/app-hosts");
    await page.getByText("No app gets in unregistered at the moment").waitFor();
    expect(await system.server.context.store.clients.find(claude)).toMatchObject({ trusted: false });
    await show("/app-hosts/policy");
    await page.getByText("From hosts on the list", { exact: true }).click();
    await button("Save").click();
    await button("Save this change", page.getByRole("dialog")).click();
    await page.getByText("Saved.").waitFor();
  });
});

describe("an app with a document", () => {
  test("is found under its address, with its host, and gets a ceiling", async () => {
    await show("/clients?source=metadata_document");
    await row("Claude Code").getByRole("link").click();
    await page.getByRole("heading", { name: "Claude Code", level: 1 }).waitFor();
    await page.getByText("By its document").waitFor();
    await page.getByText("by a sign-in in the browser").waitFor();
    expect(await page.getByText("by a code that a person types").count()).toBe(0);
    await page.getByRole("switch", { name: "Limit what it can get" }).check();
    await page.getByRole("combobox", { name: "At most these permissions" }).fill("contracts:read");
    await page.getByRole("option", { name: "contracts:read" }).click();
    await button("Save").click();
    await page.getByText("Whoever uses the app, it gets at most contracts:read.").waitFor();
    await button("Save this change").click();
    await page.getByText("Saved.").waitFor();
    const stored = await system.server.context.store.clients.find(claude);
    expect(stored).toMatchObject({ limited: true, ceiling: ["contracts:read"], name: "Claude Code" });
  });

  test("is signed out everywhere after the console has said how often", async () => {
    await show(`/sessions/devices?client=${encodeURIComponent(claude)}&service=contracts`);
    await row("Ada Lovelace").getByText("claude.ai").waitFor();
    await page.goto(`${system.issuer}/admin/clients/${encodeURIComponent(claude)}`);
    await button("Sign out everywhere").click();
    const dialog = page.getByRole("dialog", { name: "Sign Claude Code out everywhere?" });
    await dialog.getByText("1 signed-in app of 1 person will be signed out.").waitFor();
    await button("Sign out everywhere", dialog).click();
    await page.getByText("Nobody is signed in with it.").waitFor();
    expect(await system.audit("grant.revoked")).toHaveLength(1);
  });

  test("is named by the trail, and ranked by the overview", async () => {
    await show(`/audit?client=${encodeURIComponent(claude)}&type=assertion.issued`);
    await page.getByRole("row").filter({ hasText: "ada@acme.example" }).first().waitFor();
    await show("/");
    await page.getByRole("link", { name: "Claude Code" }).waitFor();
    expect(await section("Apps used most").getByText("claude.ai, for one person").count()).toBe(1);
  });
});

test("people see the same on their own page, and end one or all", async () => {
  const { store } = system.server.context;
  const bruno = await store.users.findByEmail("bruno@acme.example");
  for (const key of ["contracts", null]) {
    await system.database.query(
      `INSERT INTO grants (id, user_id, client_id, resource_id, scopes, auth_time, amr, created_at, expires_at)
      SELECT gen_random_uuid(), $1, $2, (SELECT id FROM resources WHERE key = $3), '{contracts:read}', now(), '{}', now(),
        now() + interval '1 hour'`,
      [bruno?.id, claude, key],
    );
  }
  await page.goto(`${system.issuer}/`);
  const apps = page.getByRole("region", { name: "Apps that act for you" });
  await apps.getByRole("heading", { name: "Claude Code claude.ai" }).waitFor();
  await apps.getByText("1 permission").first().click();
  expect(await scanAccessibility(page)).toEqual([]);
  await button("Sign out Claude Code Contracts", apps).click();
  await button("Sign out Claude Code At Acme itself", apps).click();
  await apps.getByText("None yet.").waitFor();
});

test.each([
  "/app-hosts",
  "/app-hosts/new",
  "/app-hosts/policy",
  "/app-hosts/hosts/claude.ai",
  "/clients",
  `/clients/${encodeURIComponent(claude)}`,
  "/sessions/devices",
  "/",
])("%s can be used by everybody, in light, in dark and on a telephone", async (path) => {
  await ask("late.example");
  expect(await screen.faultsOf(path)).toEqual([]);
});
