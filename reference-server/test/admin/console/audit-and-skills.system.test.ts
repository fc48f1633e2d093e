import { readFile } from "node:fs/promises";
import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { beforeAll, describe, expect, test } from "vitest";
import { recordAllAudits } from "../../../src/audit/record.js";
import { sealAndIndex } from "../../support/audit-index.js";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { complaints, row, show } = screen;

beforeAll(async () => {
  system = await screen.start({ AUTHZ_ALLOW_INSECURE_LOOPBACK: "true" });
  const { store } = system.server.context;
  await store.resources.save({ ...system.resource, skillDiscovery: true }, new Date());
  await makeTraffic();
  page = await screen.open("/admin");
});

/** Ada's device is granted her read scope and denied the write scope. */
async function makeTraffic(): Promise<void> {
  const device = await RawDevice.create(system.issuer);
  const tokens = await device.signIn();
  const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
  for (const scope of ["contracts:read", "contracts:write"]) {
    await device.token({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      client_id: "authz-cli",
      requested_token_type: type("id-jag"),
      subject_token: tokens["refresh_token"],
      subject_token_type: type("refresh_token"),
      audience: system.resource.authorizationServer,
      resource: system.resource.resource,
      scope,
    });
  }
  await sealAndIndex(system.server.context);
  await sealAndIndex(system.server.context);
}

describe("the overview", () => {
  test("opens first and describes the state of the installation", async () => {
    expect(await page.title()).toBe("Overview · Acme");
    // The service of this test publishes nothing, so its catalog needs attention.
    await page.getByRole("heading", { name: /is left|are left|needs? your attention/ }).waitFor();
    await page.getByText("2 issued, 1 denied.", { exact: true }).waitFor();
    await page.locator(".chart svg").first().waitFor();
    await page.getByRole("link", { name: "Name one" }).waitFor();
  });

  test("shows the same numbers as a table, with links to denied requests", async () => {
    await page.getByRole("button", { name: "Show as a table" }).click();
    await row(/:00/).getByRole("link", { name: "1" }).click();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    await row("Token refused").waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
  });
});

describe("the audit trail", () => {
  test("searches with text and filters that stay in the address", async () => {
    await show("/audit");
    await page.getByRole("searchbox", { name: "Search the audit trail" }).fill("identity assertion");
    await page.getByText("Nothing matches").waitFor();
    await page.getByRole("searchbox").fill("ada contracts:read assertion");
    await row("Access to a service issued").filter({ hasText: "contracts:read" }).waitFor();
    await show("/audit");
    await page.getByRole("combobox", { name: "Any outcome" }).click();
    await page.getByRole("option", { name: "Denied" }).click();
    await page.waitForURL(/outcome=denied/);
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByRole("combobox", { name: "About" }).fill("nobody@acme.example");
    await page.getByText("Nothing here matches these filters.").waitFor();
    await page.getByRole("button", { name: "Show everything" }).click();
    await row("Signed in").first().waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("links a denied event to its details and to the filled-in explanation", async () => {
    await show("/audit?outcome=denied");
    await row("Token refused").click();
    await page.getByRole("paragraph").filter({ hasText: "for contracts:write at Contracts" }).waitFor();
    await page.getByText('"reason": "scope_not_assigned"').waitFor();
    await page.getByRole("link", { name: "Contracts", exact: true }).waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await page.getByRole("link", { name: "Explain why" }).click();
    await page.getByRole("heading", { name: "No. Ada Lovelace may not do this." }).waitFor();
    expect(new URL(page.url()).search).toBe(
      "?email=ada%40acme.example&resource=contracts&scope=contracts%3Awrite",
    );
  });

  test("names groups and people who have never signed in", async () => {
    const given = { type: "assignment.created", outcome: "success", at: new Date() } as const;
    const actor = { type: "operator" } as const;
    const scope = "contracts:read";
    await recordAllAudits(system.server.context.store, [
      { ...given, actor, data: { email: "nora@acme.example", scope } },
      { ...given, actor, data: { group: { provider: "entra", key: "Sales" }, scope } },
    ]);
    for (const whom of ["nora@acme.example", "Sales"]) {
      await show("/audit?type=assignment.created");
      await row(`about ${whom}`).click();
      await page.getByRole("heading", { name: "Permission given" }).waitFor();
      await page.getByRole("definition").getByText(whom, { exact: true }).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  test("is exported with its filters", async () => {
    await show("/audit?outcome=denied");
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "As NDJSON" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^audit-.*\.ndjson$/);
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(["token.refused"]);
  });

  test("is verified, and alterations are located", async () => {
    await show("/audit/verification");
    await page.getByRole("button", { name: "Compare every event with its seal" }).click();
    await page.getByRole("heading", { name: "Nothing was altered." }).waitFor();
    await page.getByRole("heading", { name: "Digest of the last seal" }).waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await system.database.query("ALTER TABLE audit_events DISABLE TRIGGER USER");
    const change = (from: string, to: string) =>
      system.database.query(
        `UPDATE audit_events SET outcome = '${to}' WHERE type = 'token.refused' AND outcome = '${from}'`,
      );
    await change("denied", "success");
    await page.getByRole("button", { name: "Compare again" }).click();
    await page.getByRole("heading", { name: "The trail was altered in one place." }).waitFor();
    await page.getByText("Events were changed.").waitFor();
    await change("success", "denied");
  });
});

describe("skills", () => {
  test("are written with an inert preview", async () => {
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await show("/skills/new");
    await page.getByLabel("Title").fill("File a contract");
    expect(await page.getByLabel("ID", { exact: true }).inputValue()).toBe("file-a-contract");
    await page
      .getByLabel("Content")
      .fill(
        "# Steps\n\n[Handbook](https://handbook.example/) [bad](javascript:alert(1))\n\n![Plan](https://images.example/a.png)\n\n<img src=x onerror=alert(1)>",
      );
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByRole("heading", { name: "Steps" }).waitFor();
    const link = preview.getByRole("link");
    expect(await link.count()).toBe(1);
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(await preview.locator("img").count()).toBe(0);
    await preview.getByText("Image: Plan").waitFor();
    await page.getByText("Once it is published, 2 people could see it.").waitFor();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("heading", { name: "File a contract", level: 1 }).waitFor();
    await page.getByText("2 people can see it now.").waitFor();
    expect(requested.filter((url) => !url.startsWith(system.issuer))).toEqual([]);
  });

  test("show before saving who loses access, and afterwards who has it", async () => {
    await page.getByRole("radio", { name: "Only those who have every required permission" }).check();
    await page.getByRole("combobox", { name: "Required permissions" }).fill("contracts:read");
    await page.getByRole("option", { name: "contracts:read" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const impact = page.getByRole("dialog", { name: "What this changes" });
    await impact.getByText("1 person could see it; before, it was 2.").waitFor();
    await impact.getByRole("button", { name: "Save this change" }).click();
    await page.getByText("One person can see it now.").waitFor();
    await page.locator("button[type=submit][data-disabled]:not([data-loading])").waitFor();
    await page.getByLabel("Description", { exact: true }).fill("Step by step");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await impact.getByText("Nobody gains or loses anything.").waitFor();
    await impact.getByRole("button", { name: "Save this change" }).click();
    const { ownSkills } = system.server.context.store;
    await expect
      .poll(() => ownSkills.find("file-a-contract"))
      .toMatchObject({ description: "Step by step", visibility: "HIDDEN_IF_UNALLOWED" });
  });

  test("of an unreachable service show why, and are fetched again with one click", async () => {
    await show("/catalogs");
    await row("Contracts").getByRole("button", { name: "Refresh now: Contracts" }).click();
    await page.getByText("The catalog of Contracts could not be fetched.").waitFor();
    await row("Contracts").getByText("Failed").waitFor();
    await row("Contracts").getByRole("link").click();
    await page.getByText("It was never read successfully.").waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("the settings", () => {
  test("show a conflicting change before saving over it", async () => {
    await show("/settings");
    await page.getByLabel("Text shown to agents").fill("Ask it-help@acme.example.");
    await system.database.query("UPDATE settings SET instructions = 'Ask Bruno.', version = version + 1");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Somebody else changed this" });
    await dialog.getByRole("cell", { name: "Ask Bruno." }).waitFor();
    await dialog.getByRole("button", { name: "Overwrite with mine" }).click();
    await page.getByText("Every agent reads the text for agents before anything else").waitFor();
    await page.getByRole("button", { name: "Save this change" }).click();
    await page.getByText("Saved.").waitFor();
    const rows = await system.database.query("SELECT instructions FROM settings");
    expect(rows).toEqual([{ instructions: "Ask it-help@acme.example." }]);
  });

  test("accept a harmless logo and explain a refused one", async () => {
    const choose = (content: string) =>
      page.locator('input[type="file"]').setInputFiles({
        name: "logo.svg",
        mimeType: "image/svg+xml",
        buffer: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10">${content}</svg>`),
      });
    await show("/settings");
    await choose("<script>alert(1)</script>");
    await page.getByRole("button", { name: "Use this logo" }).click();
    await page.getByText("This image cannot be the logo.").waitFor();
    await choose('<rect width="40" height="10" fill="#2b55c9"/>');
    await page.getByRole("img", { name: "Logo of Acme" }).waitFor();
    await page.getByRole("button", { name: "Use this logo" }).click();
    await page.getByText("The logo has been stored.").waitFor();
    await page.locator(".bar img.logo").waitFor();
    expect(complaints).toEqual([]);
  });
});

screen.testAccessibility([
  "/",
  "/audit?outcome=denied&client=authz-cli",
  "/skills",
  "/skills/file-a-contract",
  "/catalogs",
  "/catalogs/contracts",
  "/settings",
]);

test("every screen fits into 390 pixels, in German", async () => {
  const narrow = await screen.openInGerman({ width: 390, height: 844 });
  const screens = {
    "": "Übersicht",
    "/audit": "Audit",
    "/skills/file-a-contract": "File a contract",
    "/catalogs/contracts": "Contracts",
    "/settings": "Einstellungen",
  };
  for (const [path, name] of Object.entries(screens)) {
    await narrow.goto(`${system.issuer}/admin${path}`);
    await narrow.getByRole("heading", { name, level: 1 }).waitFor();
    expect([path, await narrow.evaluate("document.documentElement.scrollWidth")]).toEqual([path, 390]);
  }
  await narrow.close();
});
