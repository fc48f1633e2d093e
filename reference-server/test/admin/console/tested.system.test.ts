import { randomUUID } from "node:crypto";
import { type DevIdp, developmentPeople, startDevIdp } from "@authz/dev-idp";
import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";
import { startThirdParty, type ThirdParty } from "../../support/third-party.js";

let system: OauthServer;
let partner: DevIdp;
let thirdParty: ThirdParty;
let page: Page;
let clicks = 0;
const screen = createConsoleWindow();
const { complaints, button, field, heading, row, show } = screen;
const secret = "a-secret-of-the-partner";

beforeAll(async () => {
  system = await screen.start();
  const { issuer, server } = system;
  const at = new Date();
  await server.context.store.scopes.save({ key: "notes:use", description: "Use notes", system: false }, at);
  const client = { clientId: "authz", clientSecret: secret };
  [partner, thirdParty] = await Promise.all([
    startDevIdp({
      people: developmentPeople,
      clients: [{ ...client, redirectUris: [`${issuer}/sign-in/callback/partner`] }],
    }),
    startThirdParty({ redirectUris: [`${issuer}/connections/callback/notes`] }),
  ]);
  page = await screen.open("/admin/identity-providers");
});
afterAll(async () => {
  await partner.close();
  await thirdParty.close();
});

/** Counts mouse clicks; typing does not count. */
async function click(target: ReturnType<Page["locator"]>): Promise<void> {
  clicks += 1;
  await target.click();
}

test("a second provider is added, tested and enabled with four clicks", async () => {
  clicks = 0;
  await show("/identity-providers");
  await click(button("Add a provider"));
  await field("Name").fill("Partner");
  await field("Key").fill("partner");
  await field("Issuer").fill(partner.issuer);
  await field("Client ID").fill("authz");
  await page.getByLabel("Client secret").fill(secret);
  await click(button("Add and test sign-in"));
  await click(page.getByText("Clara Nowak"));
  await page.getByText("The test passed. Enable the provider").waitFor();
  await page.getByText("Nobody here has clara@acme.example yet").waitFor();
  expect(await page.getByText("Signature, issuer, audience, nonce and time are right.").count()).toBe(1);
  expect(await scanAccessibility(page)).toEqual([]);
  await click(button("Enable"));
  await page.getByText("Partner is enabled.").waitFor();
  expect(clicks).toBe(4);
  await show("/identity-providers");
  await row("Partner").getByText("Enabled").waitFor();
  // The session is still Bruno's, and Clara has no account here.
  const people = await system.database.query<{ email: string }>("SELECT email FROM users");
  expect(people.map(({ email }) => email)).toEqual(["bruno@acme.example"]);
});

test("a change of an enabled provider is tested in another tab and then saved", async () => {
  await show("/identity-providers/partner");
  await page.getByLabel("Client secret").fill("wrong");
  await button("Save").click();
  await page.getByText("has not been tested with exactly these settings").waitFor();
  const [tab] = await Promise.all([
    page.context().waitForEvent("page"),
    button("Test these changes").click(),
  ]);
  await tab.getByText("Clara Nowak").click();
  await tab.getByText("The test failed. Nothing was changed.").waitFor();
  await tab.close();
  await page.getByText("does not accept the client ID with this secret").waitFor();
  expect(await scanAccessibility(page)).toEqual([]);
  // The test used the other secret.
  await page.getByLabel("Client secret").fill(`${secret} `);
  await page.getByText("does not accept the client ID with this secret").waitFor({ state: "detached" });
  await page.getByLabel("Client secret").fill("");
  await button("Test these changes").waitFor({ state: "detached" });
});

test("a connector is added and its credentials are tested with three clicks", async () => {
  clicks = 0;
  await show("/connectors");
  await click(button("Add a connector").first());
  await click(page.getByRole("link", { name: "OAuth 2.0" }));
  await field("Name").fill("Notes");
  await field("Key").fill("notes");
  await field("Client ID").fill(thirdParty.client.id);
  await page.getByLabel("Client secret").fill(thirdParty.client.secret);
  await field("Authorization endpoint").fill(`${thirdParty.issuer}/auth`);
  await field("Token endpoint").fill(`${thirdParty.issuer}/token`);
  await field("Addresses that may be called, line 1").fill(thirdParty.api);
  await click(button("Add the connector"));
  await heading("Notes").waitFor();
  await page.getByText("Credentials work, tested").waitFor();
  expect(clicks).toBe(3);
  expect(await scanAccessibility(page)).toEqual([]);
});

test("a connector with a wrong secret is marked on its page and in the list, and blocks nothing", async () => {
  await show("/connectors/notes");
  await page.getByLabel("Client secret").fill("wrong");
  await button("Save").click();
  await button("Save this change", page.getByRole("dialog")).click();
  await page.getByText("Credentials do not work, tested").waitFor();
  await page.getByText("invalid_client").waitFor();
  await show("/connectors");
  await row("Notes").getByText("Credentials do not work").waitFor();
  await row("Notes").getByText("Enabled").waitFor();
  expect(complaints).toEqual([]);
});

test.each(["/identity-providers/partner", "/identity-providers/partner?test={test}", "/connectors/notes"])(
  "%s is read in light, in dark and on a telephone",
  async (path) => {
    const [last] = await system.database.query<{ id: string }>(
      "SELECT id FROM sign_in_tests ORDER BY created_at DESC LIMIT 1",
    );
    expect(await screen.faultsOf(path.replace("{test}", last?.id ?? randomUUID()))).toEqual([]);
  },
);
