import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConnectorKeys } from "../../../src/config/connector-keys.js";
import { createConnectorVault } from "../../../src/encryption-keys/open-vaults.js";
import { createConsoleWindow, signInPerson } from "../../support/console-window.js";
import { storeConnection } from "../../support/connections.js";
import type { OauthServer } from "../../support/oauth-server.js";
import { startThirdParty, type ThirdParty } from "../../support/third-party.js";

const oldKey = Buffer.alloc(32, 5).toString("base64");
let system: OauthServer;
let thirdParty: ThirdParty;
let page: Page;
let clara: string;
const screen = createConsoleWindow();
const { complaints, button, field, heading, row, show } = screen;

beforeAll(async () => {
  system = await screen.start({ AUTHZ_CONNECTOR_KEK_PREVIOUS: oldKey });
  thirdParty = await startThirdParty({ redirectUris: [`${system.issuer}/connections/callback/notes`] });
  const { store } = system.server.context;
  const at = new Date();
  await store.scopes.save({ key: "notes:use", description: "Use notes", system: false }, at);
  clara = (await signInPerson(system, { email: "clara@acme.example", name: "Clara Nowak" })).id;
  page = await screen.open("/admin/connectors");
});
afterAll(() => thirdParty.close());

/** Connects Clara's account, with her tokens encrypted under the active or the old key. */
async function connectClara({ underOldKey = false } = {}): Promise<void> {
  const { store, connectorVault } = system.server.context;
  const variables = { text: (name: string) => (name === "AUTHZ_CONNECTOR_KEK" ? oldKey : undefined) };
  const config = readConnectorKeys({ ...variables, file: () => undefined }, { allowInsecureLoopback: true });
  const vault = underOldKey ? createConnectorVault(config, { clock: Date.now }) : connectorVault;
  await storeConnection(
    { store, connectorVault: vault },
    { connector: "notes", userId: clara, now: new Date() },
  );
}

describe("connectors", () => {
  test("cannot be created without a key; the page explains how to make one", async () => {
    const none = { state: "not_configured", problem: "It is not set.", activeKeyId: null, keys: [] };
    await page.route("**/api/admin/v1/connector-keys", (route) => route.fulfill({ json: none }));
    await show("/scopes");
    await page.locator("#content").focus();
    await page.keyboard.press("g");
    await page.keyboard.press("x");
    await heading("No connector yet").waitFor();
    await button("Add a connector").first().click();
    await heading("Connectors need an encryption key first").waitFor();
    await page.getByText("AUTHZ_CONNECTOR_KEK", { exact: true }).waitFor();
    await page.getByText("openssl rand -base64 32", { exact: true }).waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await page.unrouteAll();
    await button("Check again").click();
    await heading("Which third party is it?").waitFor();
  });

  test("start with a third party, whose values are filled in", async () => {
    await show("/connectors/new");
    await page.getByRole("link", { name: "Microsoft Graph" }).click();
    await heading("Add a connector: Microsoft Graph").waitFor();
    await page.getByText(`${system.issuer}/connections/callback/microsoft-graph`).waitFor();
    expect(await field("Token endpoint").inputValue()).toContain("{tenant id}");
    expect(await page.getByText("Replace anything in braces").count()).toBeGreaterThan(0);
    expect(await field("Scope 1").inputValue()).toBe("openid");
  });

  test("are read from an issuer, corrected, and added", async () => {
    await show("/connectors/new?kind=oauth2");
    await field("Issuer").fill(thirdParty.issuer);
    await button("Read from the issuer").click();
    await page.getByText("What the issuer publishes is filled in below.").waitFor();
    expect(await field("Token endpoint").inputValue()).toBe(`${thirdParty.issuer}/token`);
    await button("Offer notes:read").click();
    await page.getByRole("checkbox", { name: "notes:read is needed" }).check();
    await field("What notes:read allows").fill("Read your notes");
    await field("Name").fill("Notes");
    await field("Key").fill("Not a key");
    await field("Client ID").fill(thirdParty.client.id);
    await field("Client secret").fill(thirdParty.client.secret);
    await page.getByRole("combobox", { name: "Permissions needed here" }).fill("notes:use");
    await page.getByRole("option", { name: "notes:use" }).click();
    await page.keyboard.press("Escape");
    await field("Addresses that may be called, line 1").fill(thirdParty.api);
    await button("Add the connector").click();
    await page.getByText("One field needs your attention.").waitFor();
    expect(await page.locator("input:focus").getAttribute("name")).toBe("key");
    await field("Key").fill("notes");
    await button("Add the connector").click();
    await heading("Notes").waitFor();
    await page.getByText("Stored. Leave this empty to keep it").waitFor();
    expect(await field("Client secret").inputValue()).toBe("");
  });

  test("are changed after a preview of the impact on people", async () => {
    await connectClara();
    await show("/connectors/notes");
    await page.getByRole("checkbox", { name: "DELETE" }).check();
    await button("Save").click();
    const impact = page.getByRole("dialog", { name: "What this changes" });
    await impact.getByText("DELETE").waitFor();
    await impact.getByRole("button", { name: "Save this change" }).click();
    await page.getByText("Saved.").waitFor();
    await show("/connectors");
    await row("Notes").getByText("Other OAuth 2.0").waitFor();
    expect(complaints).toEqual([]);
  });

  test("show a conflicting change", async () => {
    await show("/connectors/notes");
    await field("What notes:read allows").fill("Read every note");
    await system.database.query(
      `UPDATE connectors SET version = version + 1, scopes = '[{"scope":"notes:read","description":"See notes","required":true,"byDefault":true}]'`,
    );
    await button("Save").click();
    const dialog = page.getByRole("dialog", { name: "Somebody else changed this" });
    expect(await dialog.getByRole("row").last().innerText()).toMatch(
      /Scopes of the third party\s+notes:read \(See notes; Needed\)\s+notes:read \(Read every note; Needed\)/,
    );
    await dialog.getByRole("button", { name: "Use the stored version" }).click();
    expect(await field("What notes:read allows").inputValue()).toBe("See notes");
  });
});

describe("connector keys", () => {
  test("show what an older key protects; re-encryption can be stopped and continued", async () => {
    await connectClara({ underOldKey: true });
    await show("/signing-keys");
    await page.getByRole("link", { name: "Connector keys" }).click();
    const old = page.getByRole("article").filter({ hasText: "Only reads" });
    await old.getByText("Encrypts one connection.").waitFor();
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    await page.route("**/connector-keys/rewraps", async (route) => {
      await stopped;
      await route.fulfill({ json: { rewrapped: 100, remaining: 250, unreadable: 2 } });
    });
    await button("Rewrap 1").click();
    await page.getByText("Leaving this page stops it").waitFor();
    await button("Stop").click();
    stop();
    await page.getByText("Stopped. 250 are left").waitFor();
    await page.getByText("100 of 350").waitFor();
    await page.getByText("2 could not be read").waitFor();
    await page.unrouteAll();
    await button("Continue").click();
    await page.getByText("101 have been rewrapped.").waitFor();
    await page.getByText("Encrypts one connection and the secret of one connector.").waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
  });
});

describe("light and dark", () => {
  test.each([
    "/connectors",
    "/connectors/new",
    "/connectors/new?kind=oauth2",
    "/connectors/notes",
    "/connectors/notes/connections",
    "/connector-keys",
    "/users/{clara}",
  ])("%s passes the accessibility scan", async (path) => {
    expect(await screen.faultsOf(path.replace("{clara}", clara))).toEqual([]);
  });
});

describe("connections", () => {
  test("are ended one by one on the person's page, and an unconfirmed revocation stays visible", async () => {
    thirdParty.failures.set("revocation", { kind: "answer", status: 503 });
    await show(`/users/${clara}`);
    await page.getByRole("link", { name: "Notes" }).waitFor();
    await button("Disconnect").click();
    const dialog = page.getByRole("dialog", { name: "Disconnect Clara Nowak from Notes?" });
    await button("Disconnect", dialog).click();
    const outcome = page.getByRole("dialog", { name: "Disconnected" });
    await outcome.getByText("did not confirm").waitFor();
    thirdParty.failures.clear();
    await outcome.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("No account is connected.").waitFor();
    expect(complaints).toEqual([]);
  });

  test("end all at once; afterwards the connector can be deleted", async () => {
    await connectClara();
    await show("/connectors/notes");
    await button("Delete").click();
    await page.getByRole("alert").getByText("1 person has an account connected").waitFor();
    await button("Cancel").click();
    await button("Disconnect everybody").click();
    await page.getByRole("dialog").getByText("1 account would be disconnected").waitFor();
    await page.getByLabel("Type notes to confirm").fill("notes");
    await button("Disconnect everybody", page.getByRole("dialog")).click();
    await page.getByRole("link", { name: "Connections (1)" }).click();
    await row("Clara Nowak").getByText("Being disconnected").waitFor();
    await system.database.query("DELETE FROM connections");
    await show("/connectors/notes");
    await button("Delete").click();
    await page.getByLabel("Type notes to confirm").fill("notes");
    await button("Delete the connector").click();
    await heading("No connector yet").waitFor();
    expect(complaints).toEqual([]);
  });
});
