import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { beforeAll, describe, expect, test } from "vitest";
import { createScimClient, groupSchema, userSchema } from "../../scim/scim-client.js";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { button, show } = screen;

beforeAll(async () => {
  system = await screen.start({ AUTHZ_ALLOW_INSECURE_LOOPBACK: "true" });
  page = await screen.open("/admin/identity-providers/acme");
});

const section = () =>
  page.locator("section", { has: page.getByRole("heading", { name: "Provisioning (SCIM)" }) });
const scim = (secret: string) => createScimClient(system.issuer, { providerId: "", key: "acme", secret });

/** The secret that the page shows. */
async function shownSecret(): Promise<string> {
  const box = section().getByRole("status");
  await box.waitFor();
  return ((await box.locator("code").first().textContent()) ?? "").trim();
}

describe("a provider's credentials for SCIM", () => {
  let first: string;
  let second: string;

  test("are created with a secret that is shown once", async () => {
    await section().getByText("There is no credential, so the provider cannot call.").waitFor();
    await button("Create a credential").click();
    first = await shownSecret();
    expect(first).toMatch(/^[\w-]{43}$/);
    await section().getByText(`${system.issuer}/scim/v2`, { exact: true }).waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await show("/identity-providers/acme");
    await section().getByText("Not used yet").waitFor();
    expect(await page.content()).not.toContain(first);
  });

  test("are counted with what they brought, and with the last refusal", async () => {
    const user = { schemas: [userSchema], userName: "grace@acme.example", externalId: "grace" };
    expect((await scim(first).request("POST", "/Users", { body: user })).status).toBe(201);
    await scim(first).request("POST", "/Groups", { body: { schemas: [groupSchema], displayName: "Staff" } });
    await scim(first).request("POST", "/Users", { body: user });
    await show("/identity-providers/acme");
    await section().getByText("1 active person, 0 inactive, 1 group").waitFor();
    await section().getByText("externalId = sub").waitFor();
    await section().getByText("409: The User ").waitFor();
  });

  test("are replaced without a gap", async () => {
    await button("Create a second credential").click();
    second = await shownSecret();
    expect(await button("Create a second credential").isDisabled()).toBe(true);
    for (const secret of [first, second]) {
      expect((await scim(secret).request("GET", "/Users")).status).toBe(200);
    }
    const old = section().getByRole("listitem").first();
    await button("Remove", old).click();
    const dialog = page.getByRole("dialog", { name: "Remove this credential?" });
    expect(await scanAccessibility(page)).toEqual([]);
    await button("Remove", dialog).click();
    await page.getByText("The credential has been removed.").waitFor();
    expect((await scim(first).request("GET", "/Users")).status).toBe(401);
    expect((await scim(second).request("GET", "/Users")).status).toBe(200);
  });

  test("are explained in German", async () => {
    const german = await screen.openInGerman({ width: 375, height: 800 });
    await german.goto(`${system.issuer}/admin/identity-providers/acme`);
    await german.getByRole("heading", { name: "Bereitstellung (SCIM)" }).waitFor();
    await german.getByText("1 aktive Person, 0 inaktive, 1 Gruppe").waitFor();
    expect(Number(await german.evaluate("document.documentElement.scrollWidth"))).toBeLessThanOrEqual(375);
    expect(await scanAccessibility(german)).toEqual([]);
  });
});

test("the groups of a provider by SCIM are used", async () => {
  await show("/group-providers/new?provider=acme");
  await page.getByText("Provisioning (SCIM)").click();
  await page.getByText("They count until it says otherwise").waitFor();
  await screen.field("Name").fill("Acme by SCIM");
  await screen.field("Key").fill("acme-scim");
  await page.getByRole("region", { name: "What this changes" }).getByText("Nobody gains").waitFor();
  await button("Add the provider").click();
  await page.getByRole("heading", { level: 1, name: "Acme by SCIM" }).waitFor();
  await page.getByText("the provisioning of acme").waitFor();
  expect(screen.complaints).toEqual([]);
});

screen.testAccessibility(["/identity-providers/acme", "/group-providers/acme-scim"]);
