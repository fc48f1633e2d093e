import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { beforeAll, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { complaints, button, field } = screen;

beforeAll(async () => {
  system = await screen.start();
  page = await screen.open("/admin/resources/contracts");
});

async function stored(): Promise<readonly object[] | undefined> {
  return (await system.server.context.store.resources.findByKey("contracts"))?.rules;
}

test("a rule is written, refused with what is wrong at its field, corrected, and saved", async () => {
  await button("Add a rule").click();
  await page.getByRole("group", { name: "Rule 1" }).getByRole("checkbox", { name: "DELETE" }).check();
  await field("Condition").fill("amount > 1000");
  await button("Save the rules").click();
  await page.getByText("Unknown variable: amount").waitFor();
  expect(await scanAccessibility(page)).toEqual([]);
  await field("Condition").fill("body.amount > 1000");
  await button("Save the rules").click();
  await expect
    .poll(stored)
    .toEqual([{ methods: ["DELETE"], when: "body.amount > 1000", ask: "self" }, { default: "allow" }]);
});

test("what is in the form is tried before it is saved", async () => {
  await field("Condition").fill("");
  await button("Try on the last calls").click();
  await page.getByText("There are no calls in the audit trail yet.").waitFor();
  expect(complaints).toEqual([]);
});
