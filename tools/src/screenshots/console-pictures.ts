import type { Page } from "playwright-core";
import { originOf, type Settings } from "../development/settings.js";
import { type Camera, type Look, settle } from "./camera.js";
import { newServicePort } from "./company.js";

interface Screen {
  readonly name: string;
  /** Below `/admin`. */
  readonly path: string;
  readonly looks?: readonly Look[];
  /** Steps before the picture. */
  readonly act?: (page: Page, settings: Settings) => Promise<void>;
}

const everywhere: readonly Look[] = ["light", "dark", "narrow"];

/** Every screen of the console, in the order of its navigation. */
const screens: readonly Screen[] = [
  { name: "overview", path: "/", looks: everywhere },
  { name: "assignments", path: "/assignments", looks: everywhere },
  { name: "give-permissions", path: "/assignments/new?group=acme-groups%3Asales&scope=contracts%3Aread" },
  {
    name: "impact",
    path: "/users?q=ada",
    async act(page) {
      await openAda(page);
      await page.getByRole("button", { name: "Disable" }).click();
      await page.getByRole("dialog").getByText("contracts:read").first().waitFor();
    },
  },
  { name: "requests", path: "/access-requests" },
  { name: "request", path: "/access-requests", looks: everywhere, act: openFirstRequest },
  {
    name: "explain",
    path: "/explain?email=ada%40acme.example&resource=contracts-express&scope=contracts%3Awrite",
    looks: everywhere,
    act: (page) => page.getByRole("heading", { name: /^No\. / }).waitFor(),
  },
  { name: "scopes", path: "/scopes" },
  { name: "scope", path: "/scopes/contracts%3Aread" },
  { name: "services", path: "/resources" },
  { name: "service", path: "/resources/contracts-express" },
  { name: "register-service", path: "/resources/register", act: registerService },
  { name: "connectors", path: "/connectors" },
  { name: "new-connector", path: "/connectors/new?kind=github" },
  { name: "connector", path: "/connectors/github" },
  { name: "connections", path: "/connections" },
  { name: "skills", path: "/skills" },
  { name: "skill", path: "/skills/first-day" },
  { name: "catalogs", path: "/catalogs" },
  { name: "people", path: "/users" },
  { name: "person", path: "/users?q=ada", act: openAda },
  { name: "group-providers", path: "/group-providers" },
  { name: "groups", path: "/group-providers?view=groups" },
  { name: "browsers", path: "/sessions" },
  { name: "signed-in-apps", path: "/sessions/devices" },
  { name: "apps", path: "/clients" },
  { name: "machine", path: "/clients/nightly-export" },
  { name: "sign-in-providers", path: "/identity-providers" },
  { name: "sign-in-provider", path: "/identity-providers/acme" },
  { name: "signing-keys", path: "/signing-keys" },
  { name: "connector-keys", path: "/connector-keys" },
  { name: "usage", path: "/usage?range=24h", looks: everywhere, act: waitUntilCounted },
  { name: "audit", path: "/audit", looks: everywhere },
  { name: "denied", path: "/audit?outcome=denied" },
  { name: "denied-event", path: "/audit?outcome=denied&type=token.refused", act: openFirstEvent },
  { name: "verification", path: "/audit/verification", act: verify },
  { name: "settings", path: "/settings" },
  { name: "palette", path: "/users", act: openPalette },
];

export async function takeConsole(camera: Camera, page: Page, settings: Settings): Promise<void> {
  for (const { name, path, looks, act } of screens) {
    await show(page, `${originOf(settings, "server")}/admin${path}`);
    await act?.(page, settings);
    await camera.take(page, name, looks);
  }
}

/** Three of them in German. */
export async function takeGermanConsole(camera: Camera, page: Page, settings: Settings): Promise<void> {
  for (const { name, path } of screens.filter(({ name: one }) =>
    ["overview", "usage", "explain"].includes(one),
  )) {
    await show(page, `${originOf(settings, "server")}/admin${path}`);
    if (name === "explain") await page.getByRole("heading", { name: /^Nein\. / }).waitFor();
    await camera.take(page, `${name}-de`, ["light"]);
  }
}

async function show(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await settle(page);
}

async function registerService(page: Page, settings: Settings): Promise<void> {
  await page.getByLabel("Address of the service").fill(`http://127.0.0.1:${newServicePort(settings)}`);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "What this changes" }).getByText("What people can use").waitFor();
}

async function openAda(page: Page): Promise<void> {
  await page.getByRole("row").filter({ hasText: "Ada Lovelace" }).getByRole("link").click();
  await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
  await show(page, page.url());
}

async function openFirstRequest(page: Page): Promise<void> {
  await page.getByRole("row").nth(1).getByRole("link").first().click();
  await page.waitForURL(/\/admin\/access-requests\/.+/);
  await show(page, page.url());
}

async function openFirstEvent(page: Page): Promise<void> {
  await page
    .getByRole("row")
    .filter({ hasText: "ada@acme.example" })
    .first()
    .getByRole("link")
    .first()
    .click();
  await page.waitForURL(/\/admin\/audit\/\d+/);
  await show(page, page.url());
}

/** The server counts events in the background. */
async function waitUntilCounted(page: Page): Promise<void> {
  const counted = page.getByRole("main").getByRole("link", { name: "Ada Lovelace" }).first();
  for (let tries = 0; tries < 60 && !(await counted.isVisible()); tries += 1) {
    await page.waitForTimeout(1_000);
    await page.reload();
    await settle(page);
  }
  await counted.waitFor();
}

async function verify(page: Page): Promise<void> {
  await page.getByRole("main").getByRole("button").first().click();
  await page.getByText("Nothing was altered.").waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill("ada");
  await page.getByRole("option", { name: "Ada Lovelace" }).first().waitFor();
}
