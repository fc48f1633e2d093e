import { randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";
import { scanAccessibility } from "authz-tools/accessibility";
import type { Page } from "authz-tools/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashSecret } from "../../../src/protocol/secrets.js";
import { createConsoleWindow, signInPerson } from "../../support/console-window.js";
import { directorySecret, startTestDirectory, type TestDirectory } from "../../support/directory.js";
import type { OauthServer } from "../../support/oauth-server.js";
import { jkt } from "../../support/records.js";

let system: OauthServer;
let directory: TestDirectory;
let page: Page;
let clara: string;
const screen = createConsoleWindow();
const { complaints, button, field, row, show } = screen;

beforeAll(async () => {
  [system, directory] = await Promise.all([
    screen.start({ AUTHZ_ALLOW_INSECURE_LOOPBACK: "true" }),
    startTestDirectory(),
  ]);
  const reading = { id: randomUUID(), email: "clara@acme.example", scope: "contracts:read" };
  await system.server.context.store.assignments.insertMissing(reading, new Date());
  clara = await signInClara();
  page = await screen.open("/admin/users");
});
afterAll(() => directory.close());

/** Signs Clara in in two browsers and on one device. Returns her id. */
async function signInClara(): Promise<string> {
  const { store } = system.server.context;
  const at = new Date();
  const later = new Date(at.getTime() + 3_600_000);
  const [provider] = await store.identityProviders.listEnabled();
  const providerId = provider?.id ?? "";
  const { id: userId } = await signInPerson(system, { email: "clara@acme.example", name: "Clara Nowak" });
  for (const agent of [
    "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
    "Mozilla/5.0 (Macintosh) Safari/605",
  ]) {
    const times = { authTime: at, askedAnewAt: null, signedInAt: at };
    const session = { id: randomUUID(), userId, providerId, ...times, amr: [] };
    await store.browserSessions.insert(
      { ...session, expiresAt: later, userAgent: agent },
      hashSecret(session.id),
    );
  }
  await system.database.query(
    `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
    VALUES ($1, $2, 'authz-cli', $3, '{openid}', $4, '{}', $4, $5)`,
    [randomUUID(), userId, jkt, at, later],
  );
  return userId;
}

describe("people", () => {
  test("are disabled after a preview, and enabled again", async () => {
    await show("/users?q=clara");
    await row("Clara Nowak").getByRole("link").click();
    await page.getByRole("heading", { name: "Clara Nowak" }).waitFor();
    await page.getByRole("link", { name: "assigned to this address" }).waitFor();
    await button("Disable").click();
    const dialog = page.getByRole("dialog", { name: "Disable Clara Nowak?" });
    await dialog.getByText("1 person loses").waitFor();
    await dialog.getByText("2 browser sessions will end.").waitFor();
    expect(await scanAccessibility(page)).toEqual([]);
    await button("Disable", dialog).click();
    await page.getByRole("heading", { name: "Clara Nowak is disabled" }).waitFor();
    await page.getByText("Signed in nowhere.").waitFor();
    await button("Enable").click();
    await button("Enable", page.getByRole("dialog")).click();
    await page.getByText("May sign in").waitFor();
  });

  test("changed in another window cause a conflict, and the next attempt uses the current version", async () => {
    await show(`/users/${clara}`);
    await system.database.query("UPDATE users SET version = version + 1 WHERE id = $1", [clara]);
    await button("Disable").click();
    await page.getByRole("alert").getByText("Somebody else has changed this").waitFor();
    await button("Cancel").click();
    await button("Disable").click();
    await page.getByRole("dialog").getByText("1 person loses").waitFor();
    expect(complaints).toEqual([]);
  });

  test("are signed out everywhere, or one app at a time", async () => {
    await signInClara();
    await show(`/users/${clara}`);
    await page.getByText("Firefox on Linux").waitFor();
    await button("Sign out", page.locator("section", { hasText: "Signed-in apps" })).click();
    const signingOut = page.getByRole("dialog", { name: "Sign out this app?" });
    await signingOut.getByText("Clara Nowak: Authz command line").waitFor();
    await button("Sign out", signingOut).click();
    await page.getByText("No app acts for this person.").waitFor();
    await button("Sign out everywhere").click();
    await button("Sign out everywhere", page.getByRole("dialog")).click();
    await page.getByText("Signed in nowhere.").waitFor();
    expect(complaints).toEqual([]);
  });

  test("who are the last administrators cannot be disabled, with an explanation", async () => {
    await show("/users?q=bruno");
    await row("Bruno Keller").getByRole("link").click();
    await button("Disable").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("After this, nobody who can sign in would have").waitFor();
    expect(await button("Disable", dialog).isDisabled()).toBe(true);
  });
});

test("browsers and apps of one person are signed out together", async () => {
  await signInClara();
  await show(`/sessions?user=${clara}`);
  await button("Only Clara Nowak. Remove the filter").waitFor();
  await page.getByRole("checkbox", { name: "Select every row shown" }).check();
  await button("Sign out browsers").click();
  await button("Sign out browsers", page.getByRole("dialog", { name: "Sign out 2 browsers?" })).click();
  await page.getByText("Nothing matches").waitFor();
  await page.getByRole("navigation", { name: "Kinds of sign-ins" }).getByText("Signed-in apps").click();
  await row("Active").getByRole("checkbox").check();
  await button("Sign out apps").click();
  await button("Sign out", page.getByRole("dialog")).click();
  await row("by an administrator").first().waitFor();
  await row("Active").waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

describe("machine clients", () => {
  test("are registered with a public key; a private one never leaves the page", async () => {
    const { privateJwk, publicJwk } = await generateEs256KeyPair();
    const bodies: string[] = [];
    page.on("request", (request) => bodies.push(request.postData() ?? ""));
    await show("/clients/new?type=machine");
    await field("Name").fill("Nightly report");
    await button("Use a key of its own").click();
    await field("Public key 1").fill(JSON.stringify({ kid: "one", ...privateJwk }));
    await button("Register the app").click();
    await page.getByText("This is a private key. It was not sent anywhere.").waitFor();
    await page.getByText("2 fields need your attention.").waitFor();
    expect(bodies.join("")).not.toContain(privateJwk.d);
    await field("Public key 1").fill(JSON.stringify({ kid: "one", ...publicJwk }));
    await field("Client ID").fill("nightly-report");
    await page
      .getByRole("region", { name: "What this changes" })
      .getByText("Nobody gains or loses anything.")
      .waitFor();
    await button("Register the app").click();
    await page.getByRole("heading", { name: "Nightly report" }).waitFor();
  });

  test("replace a key with an overlap of both; a conflict shows both versions", async () => {
    const { publicJwk } = await generateEs256KeyPair();
    await show("/clients/nightly-report");
    await button("Add a key").click();
    await field("Public key 2").fill(JSON.stringify({ ...publicJwk, x: publicJwk.y, kid: "two" }));
    await button("Save").click();
    await page.getByText("Must be the public JWK of a P-256 key").waitFor();
    await field("Public key 2").fill(JSON.stringify({ kid: "two", ...publicJwk }));
    await system.database.query(
      "UPDATE clients SET name = 'Report', version = version + 1 WHERE id = 'nightly-report'",
    );
    await button("Save").click();
    const dialog = page.getByRole("dialog", { name: "Somebody else changed this" });
    await dialog.getByRole("row").filter({ hasText: "Public keys" }).waitFor();
    await button("Overwrite with mine", dialog).click();
    await button("Save this change").click();
    await page.getByText("The app can use any of these keys").waitFor();
    await button("Remove the key one").click();
    await button("Save").click();
    await page.getByText("The key one is removed: whatever signs with it gets no more tokens.").waitFor();
    await button("Save this change").click();
    const keys = "SELECT jsonb_path_query_array(keys::jsonb, '$[*].kid') AS kids FROM clients WHERE id = $1";
    const stored = () => system.database.query(keys, ["nightly-report"]);
    await expect.poll(stored).toEqual([{ kids: ["two"] }]);
  });

  test("are deleted after their id is typed", async () => {
    await show("/clients/nightly-report");
    await button("Delete").click();
    await page.getByLabel("Type nightly-report to confirm").fill("nightly-report");
    await button("Delete the app").click();
    await page.getByRole("heading", { name: "Apps", exact: true }).waitFor();
    await row("nightly-report").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });
});

describe("sign-in providers", () => {
  test("are checked before saving, and their secret is never shown", async () => {
    await show("/identity-providers/new");
    await page.getByRole("combobox", { name: "Which provider is it?" }).click();
    await page.getByRole("option", { name: "Keycloak" }).click();
    expect(await field("Issuer").inputValue()).toBe("https://{host}/realms/{realm}");
    await field("Issuer").fill(`${system.idp.issuer}/nothing`);
    await field("Client ID").fill("second");
    await page.getByLabel("Client secret").fill("a secret");
    await button("Check these settings").click();
    await page.getByText("One check failed.").waitFor();
    await field("Issuer").fill(system.idp.issuer);
    await page.getByText("You have changed something since this check.").waitFor();
    await button("Check again").click();
    await page.getByText("What can be checked from here is fine.").waitFor();
    await button("Add and test sign-in").click();
    // The provider does not know this client and shows an error page of its own.
    await page.waitForURL((url) => url.origin === new URL(system.idp.issuer).origin);
    await show("/identity-providers/keycloak");
    await page.getByText("Not tested yet.").waitFor();
    await page.getByText("Stored. Leave this empty to keep it").waitFor();
    expect(await page.getByLabel("Client secret").inputValue()).toBe("");
  });

  test("are deleted while another one works; the last one explains why it stays", async () => {
    await show("/identity-providers/keycloak");
    await button("Delete").click();
    await page.getByLabel("Type keycloak to confirm").fill("keycloak");
    await button("Delete the provider").click();
    await page.getByRole("heading", { name: "Sign-in providers" }).waitFor();
    await show("/identity-providers/acme");
    await page.getByRole("switch", { name: "Enabled" }).uncheck();
    await button("Save").click();
    await page.getByText("Nobody could sign in without Acme accounts").waitFor();
    expect(complaints).toEqual([]);
  });
});

test("a directory is tested before saving, and its groups are shown", async () => {
  directory.groups.set("bruno@acme.example", ["sales", "staff"]);
  await show("/group-providers/new");
  await page.getByText("Directory over HTTP").click();
  await field("Name").fill("Directory");
  await field("Key").fill("directory");
  await field("Address").fill(directory.url);
  await page.getByLabel("Secret").fill("wrong");
  await button("Ask the directory").click();
  await page.getByText("The directory says who is in which groups").waitFor();
  await page.getByLabel("Secret").fill(directorySecret);
  await button("Ask the directory").click();
  await page.getByText("bruno@acme.example is in 2 groups.").waitFor();
  await page.getByRole("region", { name: "What this changes" }).getByText("Nobody gains").waitFor();
  // Before the next preview is requested: an unchanged impact needs no confirmation.
  await field("Name").fill("Directory of people");
  await field("Name").press("Enter");
  await page.getByRole("heading", { name: "Directory of people", exact: true }).waitFor();
  await page.getByRole("link", { name: "Show all groups" }).click();
  await page.getByText("Nothing matches").waitFor();
  expect(complaints).toEqual([]);
});

test("a signing key is staged with or without a schedule, and withdrawn", async () => {
  await show("/signing-keys");
  await button("Stage a new key").click();
  await button("Stage a new key", page.getByRole("dialog")).click();
  const staged = page.getByRole("article").filter({ hasText: "Next" });
  await staged.getByText("Published. It starts signing automatically in 15 minutes.").waitFor();
  await show("/");
  await page.getByText("Nothing to do: it starts signing automatically.").waitFor();
  await show("/signing-keys");
  await button("Do not activate automatically", staged).click();
  await button("Do not activate automatically", page.getByRole("dialog")).press("Enter");
  await staged.getByText("It is waiting: have it start automatically").waitFor();
  await show("/");
  await page.getByText("A new signing key is waiting").waitFor();
  await show("/signing-keys");
  await button("Activate", staged).press("Enter");
  await button("Activate automatically", page.getByRole("dialog")).press("Enter");
  await staged.getByText("Published. It starts signing automatically").waitFor();
  await button("Withdraw", staged).click();
  await button("Withdraw the key", page.getByRole("dialog")).click();
  await page.getByText("Withdrawn before it signed anything.").waitFor();
  expect(complaints).toEqual([]);
});

describe("light and dark", () => {
  test.each([
    "/users/{clara}",
    "/sessions",
    "/sessions/devices",
    "/clients",
    "/clients/new",
    "/identity-providers",
    "/identity-providers/acme",
    "/group-providers?view=groups",
    "/group-providers/directory",
    "/signing-keys",
  ])("%s passes the accessibility scan", async (path) => {
    expect(await screen.faultsOf(path.replace("{clara}", clara))).toEqual([]);
  });
});
