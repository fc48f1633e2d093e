import { randomUUID } from "node:crypto";
import type { Page } from "authz-tools/browser";
import { beforeAll, expect, test } from "vitest";
import { createConsoleWindow, signInPerson } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let page: Page;
const screen = createConsoleWindow();
const { button, heading, show } = screen;

const areas = async () => await page.locator(".navigation li a").allInnerTexts();
const role = async (email: string, scopes: readonly string[], owners: readonly string[]) => {
  const { store } = system.server.context;
  for (const scope of ["authz:administer", "authz:audit", "authz:support"])
    for (const { id, scope: held } of await store.assignments.listByEmail(email))
      if (held === scope) await store.assignments.remove(id);
  for (const scope of scopes)
    await store.assignments.insertMissing({ id: randomUUID(), email, scope }, new Date());
  const object = { kind: "service", id: system.resource.id } as const;
  await store.owners.save(
    object,
    owners.map((owner) => ({ email: owner, group: null })),
  );
};
const bruno = "bruno@acme.example";

beforeAll(async () => {
  system = await screen.start({ AUTHZ_ALLOW_INSECURE_LOOPBACK: "true" });
  const { id } = await signInPerson(system, { email: "clara@acme.example", name: "Clara Nowak" });
  await system.database.query(
    `INSERT INTO access_requests (id, user_id, kind, target, scopes, reason, client_id, created_at)
    VALUES ($1, $2, 'service', $3, '{contracts:read}', 'For the audit.', 'authz-cli', now())`,
    [randomUUID(), id, system.resource.key],
  );
  page = await screen.open("/admin/");
  // Somebody else administers from now on.
  await system.server.context.store.assignments.insertMissing(
    { id: randomUUID(), email: "ada@acme.example", scope: "authz:administer" },
    new Date(),
  );
});

test("an administrator makes somebody the owner of a service", async () => {
  await show(`/resources/${system.resource.key}`);
  await button("Add an owner").click();
  await page
    .getByRole("textbox", { name: /^Owners/ })
    .last()
    .fill(bruno);
  await button("Save").click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await system.database.query("SELECT email FROM owners")).toEqual([{ email: bruno }]);
});

test("an owner sees what is theirs, decides, and proposes", async () => {
  await role(bruno, [], [bruno]);
  await page.goto(`${system.issuer}/admin/`);
  await heading("Requests").waitFor();
  expect(await areas()).toEqual([
    expect.stringContaining("Requests"),
    "Assignments",
    "Explain",
    "Permissions",
    "Services",
    "Connectors",
    "Skills",
    "Proposals",
    "Usage",
    "Audit",
  ]);
  await show(`/resources/${system.resource.key}`);
  await page.getByText("You can read this. Changing it is for administrators.").first().waitFor();
  expect(await page.getByRole("textbox", { name: "Name" }).isDisabled()).toBe(true);
  expect(await button("Delete").count()).toBe(0);
  await show("/access-requests");
  await page.getByRole("link", { name: /Clara/ }).click();
  await button("Give everything missing").click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("Nobody is waiting for anything").waitFor();
  await show("/skills/new");
  await page.getByLabel("Title").fill("Reviewing contracts");
  await page.getByLabel("Required permissions").fill("contracts:read");
  await page.getByRole("option", { name: "contracts:read" }).click();
  await page.keyboard.press("Escape");
  await page.getByLabel("Content").fill("# Reviewing\n\nRead it twice.");
  await button("Propose").click();
  await heading("reviewing-contracts").waitFor();
  await button("Withdraw").waitFor();
  expect(await button("Let it take effect").count()).toBe(0);
  for (const path of ["/proposals", "/skills", "/resources"]) expect(await screen.faultsOf(path)).toEqual([]);
});

test("an auditor reads everything and is offered no change", async () => {
  await role(bruno, ["authz:audit"], []);
  await page.goto(`${system.issuer}/admin/settings`);
  await page.getByText("You can read this. Changing it is for administrators.").waitFor();
  expect((await areas()).length).toBeGreaterThan(15);
  for (const path of ["/assignments", "/signing-keys", "/clients", "/users", "/proposals"]) {
    await show(path);
    expect(await page.locator("[data-main-action]").count()).toBe(0);
  }
  expect(await screen.faultsOf("/settings")).toEqual([]);
});

test("support finds people, and is not offered what it may not do", async () => {
  await role(bruno, ["authz:support"], []);
  await page.goto(`${system.issuer}/admin/`);
  await heading("Explain").waitFor();
  expect(await areas()).toEqual(["Explain", "People", "Sign-ins", "Stops"]);
  await show("/users?q=clara");
  await page.getByRole("link", { name: "Clara Nowak" }).click();
  await heading("Clara Nowak").waitFor();
  expect(await button("Disable").isEnabled()).toBe(true);
  await show("/users?q=bruno");
  await page.getByRole("link", { name: "Bruno Keller" }).click();
  await heading("Bruno Keller").waitFor();
  expect(await button("Disable").isDisabled()).toBe(true);
  expect(await screen.faultsOf("/users")).toEqual([]);
});
