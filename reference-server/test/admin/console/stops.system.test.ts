import type { Page } from "authz-tools/browser";
import { beforeAll, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import type { OauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";

let system: OauthServer;
let page: Page;
let ada: string;
let refreshToken: string;
let device: RawDevice;
const screen = createConsoleWindow();
const { complaints, button, heading, row, show } = screen;

beforeAll(async () => {
  system = await screen.start();
  device = await RawDevice.create(system.issuer);
  ({ refresh_token: refreshToken = "" } = await device.signIn());
  const [user] = await system.database.query<{ id: string }>(
    "SELECT id FROM users WHERE email = 'ada@acme.example'",
  );
  ada = user?.id ?? "";
  page = await screen.open("/admin/stops");
});

const dialog = () => page.getByRole("dialog");
const refused = async () => {
  const { status, body } = await device.refresh(refreshToken);
  if (status === 200) refreshToken = body["refresh_token"] ?? "";
  return body["error"];
};

test("all agents are stopped after a preview, which changes nothing", async () => {
  await page.getByText("Nothing is stopped").waitFor();
  await button("Stop all agents").first().click();
  await dialog().getByText("1 signed-in app ends. 1 person is affected.").waitFor();
  expect(await refused()).toBe(undefined);
  await button("Stop all agents", dialog()).click();
  await row("Everything").getByText("bruno@acme.example").waitFor();
  expect(await refused()).toBe("access_denied");
});

test("the overview says so, and the console goes on", async () => {
  await show("/");
  await page.getByText("Everything is stopped, by bruno@acme.example").waitFor();
  expect(complaints).toEqual([]);
});

test("starting again is a decision of its own, and brings no app back", async () => {
  await show("/stops");
  await row("Everything").getByRole("button", { name: "Start again" }).click();
  await dialog().getByText("Apps that were signed in before stay signed out.").waitFor();
  await button("Start again", dialog()).click();
  await page.getByText("Nothing is stopped").waitFor();
  expect(await refused()).toBe("invalid_grant");
  ({ refresh_token: refreshToken = "" } = await device.signIn());
});

test.each([
  {
    name: "a person",
    path: () => `/users/${ada}`,
    label: "Stop apps",
    banner: "Stopped by bruno@acme.example",
  },
  {
    name: "an app",
    path: () => "/clients/authz-cli",
    label: "Stop",
    banner: "Stopped by bruno@acme.example",
  },
  {
    name: "a service",
    path: () => `/resources/${system.resource.key}`,
    label: "Stop",
    banner: "Stopped by bruno@acme.example",
  },
])("$name is stopped and started on its own page", async ({ path, label, banner }) => {
  await show(path());
  await page.getByRole("main").getByRole("button", { name: label, exact: true }).first().click();
  await dialog()
    .getByText("requests in flight")
    .or(dialog().getByText("no request is sent"))
    .first()
    .waitFor();
  await button("Stop", dialog()).click();
  await page.getByText(banner).waitFor();
  await button("Start again").click();
  await button("Start again", dialog()).click();
  await page.getByText(banner).waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("one app of a person is stopped beside their sign-ins", async () => {
  await device.signIn();
  await show(`/users/${ada}`);
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  await stop.first().click();
  await dialog().getByText("who cannot sign in with it").waitFor();
  await button("Stop", dialog()).click();
  await page.getByText("No app acts for this person.").waitFor();
  await show("/stops");
  await row("of Ada Lovelace").waitFor();
  expect(complaints).toEqual([]);
});

test("the page of a person says what ended, by whom, and what may still be valid", async () => {
  await show(`/users/${ada}`);
  await heading("What ended, and what may still be valid").waitFor();
  await page.getByText("Some tokens may still be valid").waitFor();
  await page
    .getByText(/bruno@acme\.example stopped .* for ada@acme\.example\./)
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
});

screen.testAccessibility(["/stops", "/clients/authz-cli"]);
test("the page of a person has no faults", async () => {
  expect(await screen.faultsOf(`/users/${ada}`)).toEqual([]);
});

test("everything is there in German, on a telephone, too", async () => {
  const narrow = await screen.openInGerman({ width: 375, height: 800 });
  for (const path of ["/admin/stops", `/admin/users/${ada}`]) {
    await narrow.goto(new URL(path, page.url()).href);
    await narrow
      .getByText(path === "/admin/stops" ? "Alle Agenten anhalten" : "Was beendet wurde")
      .first()
      .waitFor();
    const overflow = await narrow.evaluate<boolean>(
      "document.documentElement.scrollWidth > window.innerWidth",
    );
    expect([path, overflow]).toEqual([path, false]);
  }
});
