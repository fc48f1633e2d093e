import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { findFreePort } from "authz-tools/network";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import { resourceRecord } from "../../support/records.js";
import type { OauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { complaints, row, show } = screen;

beforeAll(async () => {
  system = await screen.start();
  page = await screen.open("/admin/scopes?q=contracts");
});

describe("the console in a real browser", () => {
  test("opens the screen that was requested before signing in", async () => {
    await row("contracts:read").waitFor();
    expect(await page.getByRole("row").count()).toBe(3);
    expect(await page.title()).toBe("Permissions · Acme");
  });

  test("can be used by keyboard alone: open, create, correct, save", async () => {
    await show("/explain");
    await page.locator("#content").focus();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await row("authz:login").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "New permission" }).waitFor();
    await page.keyboard.type("Wrong");
    await page.keyboard.press("Control+Enter");
    await page.getByText("2 fields need your attention.").waitFor();
    expect(await page.locator("input:focus").getAttribute("name")).toBe("key");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("orders:read");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Read orders");
    await page.getByText("Nobody has it until it is assigned").waitFor();
    await page.keyboard.press("Control+Enter");
    await row("orders:read").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command palette" }).waitFor();
    await page.keyboard.type("orders:");
    await page.getByRole("option", { name: "orders:read" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "orders:read" }).waitFor();
  });

  test("shows a conflicting change and offers a choice", async () => {
    await show("/scopes/orders%3Aread");
    const field = page.getByLabel("Description", { exact: true });
    await field.fill("Read every order");
    await system.database.query(
      "UPDATE scopes SET description = 'See orders', version = version + 1 WHERE key = 'orders:read'",
    );
    const { store } = system.server.context;
    const assignment = { id: randomUUID(), email: "dora@acme.example", scope: "orders:read" };
    await store.assignments.insertMissing(assignment, new Date());
    // When the window gets the focus a minute later, everything is read again, and typed text stays.
    await page.evaluate("{ const { now } = Date; Date.now = () => now() + 60_000; }");
    await page.evaluate('dispatchEvent(new Event("visibilitychange"))');
    await page.getByRole("heading", { name: "Assignments (1)" }).waitFor();
    expect(await field.inputValue()).toBe("Read every order");
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: "Somebody else changed this" });
    await dialog.waitFor();
    expect(await dialog.getByRole("row").last().innerText()).toMatch(
      /Description\s+See orders\s+Read every order/,
    );
    expect(await scanAccessibility(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Overwrite with mine" }).click();
    await page.getByText("Only the words change. 1 person has this permission, as before.").waitFor();
    await screen.button("Save this change").click();
    await page.getByText("Saved.").waitFor();
    const rows = await system.database.query("SELECT description FROM scopes WHERE key = 'orders:read'");
    expect(rows).toEqual([{ description: "Read every order" }]);
  });

  test("keeps text typed while saving, and saves it over the new version", async () => {
    await show("/scopes/orders%3Aread");
    const field = page.getByLabel("Description", { exact: true });
    const save = page.getByRole("button", { name: "Save" });
    const stored = () => system.database.query("SELECT description FROM scopes WHERE key = 'orders:read'");
    await page.route(
      "**/api/admin/v1/scopes/*",
      async (route) => {
        await field.fill("Read orders, old ones too");
        await route.continue();
      },
      { times: 1 },
    );
    await field.fill("Read orders");
    await save.click();
    await screen.button("Save this change").click();
    await page.getByText("Saved.").waitFor();
    expect(await stored()).toEqual([{ description: "Read orders" }]);
    expect(await field.inputValue()).toBe("Read orders, old ones too");
    await save.click();
    await screen.button("Save this change").click();
    await expect.poll(stored).toEqual([{ description: "Read orders, old ones too" }]);
  });

  test("keeps typed text when the session ends, and saves it after the next sign-in", async () => {
    await show("/scopes/orders%3Aread");
    await page.getByLabel("Description", { exact: true }).fill("Read orders of customers");
    await system.database.query("DELETE FROM browser_sessions");
    await page.getByRole("button", { name: "Save" }).click();
    const [window] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("dialog").getByRole("link", { name: "Sign in" }).click(),
    ]);
    await window.getByText("Bruno Keller").click();
    await window.getByRole("heading", { name: "You are signed in again" }).waitFor();
    await window.close();
    // The event of a window that gets the focus again.
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await screen.button("Save this change").click();
    await page.getByText("Saved.").waitFor();
    const rows = await system.database.query("SELECT description FROM scopes WHERE key = 'orders:read'");
    expect(rows).toEqual([{ description: "Read orders of customers" }]);
  });

  test("gives permissions after a preview, and removes them again", async () => {
    await show("/assignments/new");
    await page.getByRole("combobox", { name: "Email addresses" }).fill("clara@acme.example, ");
    await page.getByRole("combobox", { name: "Permissions" }).fill("contracts:write");
    await page.getByRole("option", { name: "contracts:write" }).click();
    await page.keyboard.press("Escape");
    const impact = page.getByRole("region", { name: "What this changes" });
    await impact.getByText("1 person gains").waitFor();
    await page.getByRole("button", { name: "Give permissions" }).click();
    await page.getByRole("checkbox", { name: "Select clara@acme.example" }).check();
    await page.getByRole("button", { name: "Remove" }).click();
    const removal = page.getByRole("dialog", { name: "Remove this assignment?" });
    await removal.getByText("1 person loses").waitFor();
    await removal.getByRole("button", { name: "Remove" }).click();
    await row("clara@acme.example").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  test("suggests people while typing, before any arrow key", async () => {
    await show("/assignments/new");
    const people = page.getByRole("combobox", { name: "Email addresses" });
    await people.pressSequentially("bru");
    await page.getByRole("option", { name: "bruno@acme.example" }).click();
    await page.getByText("bruno@acme.example", { exact: true }).waitFor();
    // Typing on chooses no suggestion.
    await people.pressSequentially("ada@other.example");
    await people.press("Enter");
    await page.getByText("ada@other.example", { exact: true }).waitFor();
    await people.press("Escape");
    expect(complaints).toEqual([]);
  });

  test("warns before giving a permission to an unknown group", async () => {
    await system.database.query(
      `INSERT INTO group_providers (id, key, name, type, identity_provider_id)
      SELECT gen_random_uuid(), 'acme-groups', 'Acme groups', 'claim', id FROM identity_providers LIMIT 1`,
    );
    await show("/assignments/new?group=acme-groups%3Aseles&scope=contracts%3Aread");
    const impact = page.getByRole("region", { name: "What this changes" });
    await impact.getByText("seles: neither a sign-in nor another assignment has named this group").waitFor();
    expect(await system.database.query("SELECT FROM assignments WHERE group_key = 'seles'")).toEqual([]);
  });

  test("works in a browser with an invalid language tag", async () => {
    const context = await screen.browser().newContext();
    await context.addInitScript(
      'Object.defineProperty(navigator, "languages", { get: () => ["en-US@posix"] });' +
        'Object.defineProperty(navigator, "language", { get: () => "en-US@posix" });',
    );
    const window = await context.newPage();
    const thrown: string[] = [];
    window.on("pageerror", (error) => thrown.push(error.message));
    await window.goto(`${system.issuer}/admin/assignments`);
    await window.getByText("Bruno Keller").click();
    await window.getByRole("row").filter({ hasText: "bruno@acme.example" }).waitFor();
    expect(thrown).toEqual([]);
    await context.close();
  });

  test("changes the language at once, including the server's texts", async () => {
    const choose = async (account: RegExp, language: string) => {
      await page.getByRole("button", { name: account }).click();
      await page.getByRole("menuitemradio", { name: language }).click();
      await page.keyboard.press("Escape");
    };
    await show("/audit");
    await row("Permission created").filter({ hasText: "orders:read" }).waitFor();
    await choose(/^Your account/, "Deutsch");
    await page.getByText("Alles, was getan, angefragt und abgelehnt wurde").waitFor();
    await row("Berechtigung angelegt").filter({ hasText: "orders:read" }).waitFor();
    await show("/scopes");
    await page.getByRole("heading", { name: "Berechtigungen", exact: true }).waitFor();
    await choose(/^Ihr Konto/, "English");
    await page.getByRole("heading", { name: "Permissions", exact: true }).waitFor();
    await page.evaluate("localStorage.removeItem('authz-language')");
    expect(complaints).toEqual([]);
  });

  test("explains a denial, and gives one permission on the spot", async () => {
    await show("/explain?email=ada%40acme.example&resource=contracts&scope=contracts%3Awrite");
    await page.getByRole("heading", { name: "No. ada@acme.example may not do this." }).waitFor();
    await screen.button("Give it to this person").first().click();
    const dialog = page.getByRole("dialog", { name: "Give permissions to ada@acme.example?" });
    await dialog.getByText("1 person gains").waitFor();
    await screen.button("Give the permission", dialog).click();
    await page.getByRole("heading", { name: "Yes. ada@acme.example may do this." }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("gives all missing permissions with one previewed click, by keyboard", async () => {
    await show("/explain?email=dora%40acme.example&resource=contracts");
    await page.getByRole("heading", { name: "No. dora@acme.example may not do this." }).waitFor();
    const everything = screen.button("Give all 3 missing permissions");
    await everything.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Give permissions to dora@acme.example?" });
    await dialog.getByText("has never signed in").waitFor();
    expect(await dialog.getByText("1 person gains").count()).toBe(3);
    expect(await scanAccessibility(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.locator(":focus").innerText()).toBe("Give all 3 missing permissions");
    await page.keyboard.press("Enter");
    await dialog.getByText("1 person gains").first().waitFor();
    await screen.button("Give 3 permissions", dialog).press("Enter");
    await page.getByRole("heading", { name: "Yes. dora@acme.example may do this." }).waitFor();
    await page.getByText("May use the command line.").waitFor();
    expect(await page.locator(":focus").getAttribute("id")).toBe("content");
    const held = await system.database.query(
      "SELECT scope_key FROM assignments WHERE email = 'dora@acme.example' AND scope_key LIKE 'contracts:%'",
    );
    expect(held).toHaveLength(2);
  });
});

test("the impact of disabling a service names that service", async () => {
  await show("/resources/contracts");
  await screen.button("Delete").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("What people can use at Contracts:").waitFor();
  await dialog.getByText(/loses? contracts:read/).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await page.locator(":focus").innerText()).toBe("Delete");
  // As after a response that arrives once the dialog has closed.
  await page.evaluate("document.activeElement.remove()");
  await page.locator("#content:focus").waitFor();
});

describe("registering a service", () => {
  let service: FastifyInstance;
  let origin: string;

  beforeAll(async () => {
    const port = await findFreePort();
    origin = `http://127.0.0.1:${port}`;
    const authz = initAuthz(system.issuer, {
      resource: `${origin}/api`,
      publicOrigin: origin,
      clientId: "authz-cli",
      supportedScopes: ["reports:read"],
      resourceName: "Reports",
      signingKey: { kid: "one", ...(await generateEs256KeyPair()) },
      replayStore: inMemory(),
      allowInsecureLoopback: true,
    });
    service = fastify();
    authz.registerRoutes(service);
    const onRequest = authz.requireAuth({ scopes: ["reports:read"] });
    service.get("/api", { onRequest }, async ({ auth }) => ({ caller: auth.identity }));
    await authz.ready();
    await service.listen({ port, host: "127.0.0.1" });
  });
  afterAll(() => service.close());

  test("explains why an unreachable address fails", async () => {
    await show("/resources/register");
    const nowhere = await findFreePort();
    await page.getByLabel("Address of the service").fill(`http://127.0.0.1:${nowhere}`);
    await page.keyboard.press("Enter");
    await page.getByText("Fix what failed in the service").waitFor();
    expect(await page.getByText(/^Failed: /).count()).toBeGreaterThan(0);
  });

  test("reads the service, passes every check, creates its scopes and saves it", async () => {
    await show("/resources/register");
    await page.getByLabel("Address of the service").fill(`${origin}/api/`);
    await page.getByRole("button", { name: "Read and check" }).click();
    await page.getByText("Save it like this").waitFor();
    await page.getByLabel("What does reports:read allow?").fill("Read reports");
    await page.getByText("At Reports, nobody gains or loses anything.").waitFor();
    await page.getByRole("button", { name: "Register the service" }).click();
    await page.getByRole("heading", { name: "Reports", level: 1 }).waitFor();
    const rows = await system.database.query("SELECT description FROM scopes WHERE key = 'reports:read'");
    expect(rows).toEqual([{ description: "Read reports" }]);
  });

  test("the example code of a service runs with each framework", async () => {
    const port = await findFreePort();
    const at = `http://127.0.0.1:${port}`;
    const written = resourceRecord({
      id: randomUUID(),
      key: "written",
      authorizationServer: at,
      supportedScopes: ["contracts:read"],
    });
    await system.server.context.store.resources.save(written, new Date());
    await show("/resources/written");
    await page.getByText("Next step: the code of the service").click();
    for (const framework of ["Express", "Fastify"]) {
      await page.getByText(framework, { exact: true }).click();
      const program = await page
        .locator("figure", { hasText: "Save as server.mjs" })
        .locator("pre")
        .innerText();
      expect(program).toContain(`@authz/${framework.toLowerCase()}`);
      expect(await askRunning(program, `${at}/api`)).toMatch(
        `resource_metadata="${at}/.well-known/oauth-protected-resource/api"`,
      );
    }
  });

  test("a machine client gets its key pair in the page, and the example program calls the service", async () => {
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.postData() ?? ""));
    await show("/clients/new?type=machine");
    await screen.field("Name").fill("Nightly report");
    await screen.field("Client ID").fill("nightly-report");
    await page.getByRole("combobox", { name: "What it may do" }).fill("reports:read");
    await page.getByRole("option", { name: "reports:read" }).click();
    await page.keyboard.press("Escape");
    await page.getByText("Your browser has made a key pair.").waitFor();
    await page.getByText("The machine gains reports:read.").waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      screen.button("Register the app").click(),
    ]);
    const key = JSON.parse(await readFile(await download.path(), "utf8")) as { privateJwk: { d: string } };
    await screen.heading("Next step: a first call").waitFor();
    const program = page.locator("figure", { hasText: "Save as call.mjs" }).locator("pre");
    expect(
      await run(await program.innerText(), { [download.suggestedFilename()]: JSON.stringify(key) }),
    ).toBe('200 {"caller":{"type":"machine","subject":"nightly-report"}}\n');
    expect(sent.join("")).toContain('"nightly-report"');
    expect(sent.join("")).not.toContain(key.privateJwk.d);
    expect(await screen.faultsOf("/clients/nightly-report")).toEqual([]);
  });
});

/** Runs the program of a service and returns its challenge for a request without a token. */
async function askRunning(program: string, url: string): Promise<string | null> {
  return await inFolder({ "server.mjs": program }, async (folder) => {
    const child = spawn(process.execPath, ["server.mjs"], { cwd: folder, stdio: "inherit" });
    try {
      const answered = await expect
        .poll(() => fetch(url).catch(() => undefined), { timeout: 20_000 })
        .toMatchObject({ status: 401 })
        .then(() => fetch(url));
      return answered.headers.get("www-authenticate");
    } finally {
      child.kill();
      await once(child, "exit");
    }
  });
}

/** Runs a program beside these files and returns what it printed. */
async function run(program: string, files: Readonly<Record<string, string>>): Promise<string> {
  return await inFolder({ ...files, "call.mjs": program }, async (folder) => {
    const { stdout } = await promisify(execFile)(process.execPath, ["call.mjs"], { cwd: folder });
    return stdout;
  });
}

/** Writes files into a folder where the packages are installed. */
async function inFolder<T>(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const modules = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
  const folder = await mkdtemp(join(modules, ".call-"));
  try {
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

screen.testAccessibility([
  "/scopes",
  "/scopes/contracts%3Aread",
  "/resources",
  "/resources/contracts",
  "/assignments",
  "/assignments/new",
  "/explain?email=ada%40acme.example&resource=contracts",
]);

test("fits into 390 pixels, in German", async () => {
  const narrow = await screen.openInGerman({ width: 390, height: 844 });
  await narrow.goto(`${system.issuer}/admin/resources`);
  await narrow.getByRole("heading", { name: "Dienste" }).waitFor();
  await narrow.getByRole("button", { name: "Navigation öffnen" }).click();
  await narrow.getByRole("link", { name: "Zuweisungen" }).click();
  await narrow.getByRole("heading", { name: "Zuweisungen" }).waitFor();
  const width = await narrow.evaluate("document.documentElement.scrollWidth");
  expect(width).toBeLessThanOrEqual(390);
  expect(await scanAccessibility(narrow)).toEqual([]);
  await narrow.close();
});
