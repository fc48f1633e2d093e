import { randomUUID } from "node:crypto";
import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { beforeAll, describe, expect, test } from "vitest";
import { recordAllAudits } from "../../../src/audit/record.js";
import type { AuditEvent } from "../../../src/audit/events.js";
import { sealAndIndex } from "../../support/audit-index.js";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

const hourMs = 3_600_000;

let system: OauthServer;
let page: Page;
let lina: string;
const screen = createConsoleWindow();
const { row, show } = screen;

beforeAll(async () => {
  system = await screen.start({ AUTHZ_ALLOW_INSECURE_LOOPBACK: "true" });
  lina = randomUUID();
  await system.database.query(
    "INSERT INTO users (id, email, name) VALUES ($1, 'lina@acme.example', 'Lina Park')",
    [lina],
  );
  const { store } = system.server.context;
  await recordAllAudits(store, [...pastOf(lina)]);
  await store.auditSearch.addSkillReads([{ hour: new Date(), skillId: "contracts.renewals", count: 12 }]);
  await sealAndIndex(system.server.context);
  page = await screen.open("/admin/usage");
});

/** Twelve hours in which Lina's agent read contracts, and three in which it was denied changes. */
function* pastOf(subject: string): Generator<AuditEvent> {
  const { resource } = system.resource;
  const common = { subject, clientId: "authz-cli", actor: { type: "user", id: subject } } as const;
  for (let hour = 12; hour > 0; hour -= 1) {
    const at = new Date(Date.now() - hour * hourMs);
    for (let count = 0; count < hour; count += 1) {
      const data = {
        grantId: randomUUID(),
        tokenId: randomUUID(),
        resource,
        scopes: ["contracts:read"],
        jkt: null,
      };
      yield { ...common, at, type: "assertion.issued", outcome: "success", data };
    }
    if (hour % 4 !== 0) continue;
    const refused = {
      grantType: "refresh_token",
      grantId: null,
      error: "invalid_scope",
      reason: "scope_not_assigned",
    };
    const data = { ...refused, resource, scopes: ["contracts:write"] };
    yield { ...common, at, type: "token.refused", outcome: "denied", data };
  }
}

describe("the usage page", () => {
  test("has numbers, a chart with a table, and rankings with links", async () => {
    await page.getByRole("img", { name: "78 tokens issued, 0 calls, 3 denied, 0 failed." }).waitFor();
    await page.getByRole("button", { name: "Show as a table" }).click();
    await row("Day (UTC)").waitFor();
    await page.getByRole("button", { name: "Show as a chart" }).click();
    await row("contracts.renewals").getByRole("cell", { name: "12" }).waitFor();
    await row("Authz command line").first().getByRole("cell", { name: "3", exact: true }).waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await row("Authz command line")
      .first()
      .getByRole("link", { name: "Authz command line", exact: true })
      .click();
    await page.getByRole("heading", { level: 1, name: "Authz command line" }).waitFor();
    await page.getByRole("img", { name: /^78 tokens issued/ }).waitFor();
  });

  test("narrows to one subject, which is in the address", async () => {
    await show("/usage");
    await page.getByText("24 hours").click();
    await page.getByRole("link", { name: "78. Show only Lina Park" }).click();
    await page.getByRole("button", { name: /^Only Lina Park/ }).waitFor();
    expect(new URL(page.url()).search).toBe(`?range=24h&user=${lina}`);
    await page.getByRole("heading", { name: "Services and connectors" }).waitFor();
    const people = page.getByRole("heading", { name: "People", exact: true, level: 2 });
    await people.waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Only Lina Park/ }).click();
    await people.waitFor();
  });

  test("links denied requests to their remedies", async () => {
    await show("/usage");
    const denied = row("contracts:write").filter({ hasText: "Lina Park" });
    await denied.getByRole("cell", { name: "3", exact: true }).waitFor();
    await denied.getByRole("link", { name: "Why, and what to do" }).click();
    await page.getByRole("heading", { name: "No. Lina Park may not do this." }).waitFor();
    await page
      .getByRole("button", { name: /^Give / })
      .first()
      .waitFor();
    expect(new URL(page.url()).search).toBe(
      "?email=lina%40acme.example&resource=contracts&scope=contracts%3Awrite",
    );
  });

  test("is accessible in light, in dark and on a telephone", async () => {
    expect(await screen.faultsOf("/usage")).toEqual([]);
  });
});

describe("usage is shown on the page of", () => {
  test.each([
    { name: "a person", path: () => `/users/${lina}` },
    { name: "a service", path: () => "/resources/contracts" },
    { name: "an app", path: () => "/clients/authz-cli" },
  ])("$name, in light, in dark and on a telephone", async ({ path }) => {
    await show(path());
    await page.getByRole("img", { name: /^78 tokens issued/ }).waitFor();
    expect(await screen.faultsOf(path())).toEqual([]);
  });
});

test("fits in German, with its longer words", async () => {
  const german = await screen.openInGerman();
  await german.goto(`${system.issuer}/admin/usage`);
  await german.getByRole("button", { name: "Als Tabelle anzeigen" }).click();
  await german.locator(".usage-lists .usage-table").first().waitFor();
  for (const width of [320, 1024]) {
    await german.setViewportSize({ width, height: 800 });
    const fits =
      "[...document.querySelectorAll('main, .page *')].every((one) => one.scrollWidth <= innerWidth)";
    await german.waitForFunction(`document.documentElement.scrollWidth <= ${width} && ${fits}`, undefined, {
      timeout: 5_000,
    });
  }
  // Column heads do not overflow.
  const heads = german.locator(".usage-table th");
  const words = await heads.evaluateAll((all) =>
    all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent),
  );
  expect(words).toEqual([]);
  await german.close();
});
