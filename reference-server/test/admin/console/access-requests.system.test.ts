import { randomUUID } from "node:crypto";
import type { Page } from "authz-tools/browser";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { ask, requestableAt } from "../../../src/person/access-requests/ask.js";
import { createConsoleWindow, signInPerson } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { button, field, heading, row, show } = screen;

beforeAll(async () => {
  system = await screen.start({ AUTHZ_ALLOW_INSECURE_LOOPBACK: "true" });
  page = await screen.open("/admin/access-requests");
});
beforeEach(async () => {
  await system.database.query("DELETE FROM access_requests");
  await system.database.query("DELETE FROM assignments WHERE email = 'clara@acme.example'");
});

/** Clara, who has no permissions, requests all scopes of Contracts. */
async function claraAsks(): Promise<string> {
  const { store, directories } = system.server.context;
  const at = new Date();
  const user = await signInPerson(system, { email: "clara@acme.example", name: "Clara Nowak" });
  const own = { scopes: [], reason: "To file the contracts of Acme.", clientId: null, grantId: null };
  const asked = await ask(
    { user, at: requestableAt(system.resource), ...own, requestId: randomUUID() },
    { store, directories, now: at },
  );
  return asked.request.id;
}

async function given(): Promise<readonly { scope: string; ends: boolean }[]> {
  const rules = await system.server.context.store.assignments.listByEmail("clara@acme.example");
  return rules.map(({ scope, expiresAt }) => ({ scope, ends: expiresAt !== null }));
}

test("a request is counted in the navigation, and approved for a day with the keyboard alone", async () => {
  await claraAsks();
  await show("/access-requests");
  await page.getByRole("navigation").getByText("one waits for a decision").first().waitFor();
  await row("Clara Nowak").getByText("To file the contracts of Acme.").waitFor();
  await row("Clara Nowak").getByRole("link").focus();
  await page.keyboard.press("Enter");
  await heading("Clara Nowak asks for Contracts").waitFor();
  await page.getByRole("combobox", { name: "For how long?" }).or(field("For how long?")).first().click();
  await page.getByRole("option", { name: "A day" }).click();
  await button("Give everything missing").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("clara@acme.example").first().waitFor();
  await page.getByRole("dialog").getByText("Counts at Contracts.").first().waitFor();
  await page
    .getByRole("dialog")
    .getByText(/^Ends .*\d/)
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await heading("Requests").waitFor();
  await page.getByText("Nobody is waiting for anything").waitFor();
  await page.getByText("Approved", { exact: true }).click();
  await row("Clara Nowak").waitFor();
  expect(await given()).toEqual([
    { scope: "contracts:read", ends: true },
    { scope: "contracts:write", ends: true },
  ]);
});

test("a request is declined with a note and gives nothing", async () => {
  const id = await claraAsks();
  await show(`/access-requests/${id}`);
  await button("Decline").click();
  const dialog = page.getByRole("dialog", { name: "Decline this request?" });
  await dialog.getByRole("textbox").fill("Ask Ada, she files them.");
  await button("Decline", dialog).click();
  await page.getByText("Your answer").waitFor({ timeout: 15_000 });
  const request = await system.server.context.store.accessRequests.find(id);
  expect(request).toMatchObject({ state: "declined", note: "Ask Ada, she files them." });
  expect(await given()).toEqual([]);
});

test("a decision made elsewhere is shown and takes effect once", async () => {
  const id = await claraAsks();
  await show(`/access-requests/${id}`);
  await heading("Clara Nowak asks for Contracts").waitFor();
  await system.database.query(
    "UPDATE access_requests SET state = 'declined', decided_at = now(), version = 2 WHERE id = $1",
    [id],
  );
  await button("Give everything missing").click();
  await page.getByRole("alert").or(page.getByRole("dialog")).first().waitFor();
  expect(await given()).toEqual([]);
});

test("its screens are accessible in light, in dark and on a telephone", async () => {
  const id = await claraAsks();
  expect(await screen.faultsOf("/access-requests")).toEqual([]);
  expect(await screen.faultsOf(`/access-requests/${id}`)).toEqual([]);
});
