import { randomUUID } from "node:crypto";
import { scanAccessibility } from "authz-tools/accessibility";
import { type Browser, launchBrowser, type Page } from "authz-tools/browser";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { buildConsole } from "./console-build.js";
import { type OauthServer, startOauthServer } from "./oauth-server.js";

const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 844 };

type Locator = ReturnType<Page["locator"]>;

/** One window in which Bruno administers, for the tests of one file. Its locators can be created before it is open. */
export interface ConsoleWindow {
  /** Errors of the browser in this test, such as a violated policy. */
  readonly complaints: readonly string[];
  /** Builds the console and starts a server and a browser, which end after the tests. */
  start: (variables?: Readonly<Record<string, string>>) => Promise<OauthServer>;
  /** Makes Bruno an administrator, signs him in and opens this path of the server. */
  open: (path: string) => Promise<Page>;
  /** The browser, for further windows. */
  browser: () => Browser;
  /** Another window of the same session, in German. */
  openInGerman: (viewport?: { readonly width: number; readonly height: number }) => Promise<Page>;
  /** Goes to a screen, by its path below `/admin`. */
  show: (path: string) => Promise<void>;
  row: (text: string | RegExp) => Locator;
  button: (name: string, within?: Pick<Page, "getByRole">) => Locator;
  field: (name: string) => Locator;
  heading: (name: string) => Locator;
  /**
   * Checks a screen in light, in dark and on a telephone. Returns accessibility violations, errors of the browser, and a
   * page that is wider than the telephone.
   */
  faultsOf: (path: string) => Promise<readonly string[]>;
  /** Tests that screens have no such faults. */
  testAccessibility: (paths: readonly string[]) => void;
}

/** Fails each test in which the browser reports an error, such as a violated policy. */
export function createConsoleWindow(): ConsoleWindow {
  const complaints: string[] = [];
  let started: { readonly system: OauthServer; readonly browser: Browser } | undefined;
  let opened: Page | undefined;
  const running = () => {
    if (started === undefined) throw new Error("Start the console first.");
    return started;
  };
  const current = () => {
    if (opened === undefined) throw new Error("Open the window first.");
    return opened;
  };
  beforeEach(() => {
    complaints.length = 0;
  });
  afterEach(() => {
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await started?.browser.close();
    await started?.system.close();
  });

  async function show(path: string): Promise<void> {
    const page = current();
    await page.goto(`${running().system.issuer}/admin${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  }

  async function faultsOf(path: string): Promise<readonly string[]> {
    const page = current();
    await page.emulateMedia({ colorScheme: "light" });
    await show(path);
    await page.locator("[aria-busy=true], .table-placeholder").first().waitFor({ state: "detached" });
    const light = await scanAccessibility(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    const dark = await scanAccessibility(page, ["color-contrast"]);
    await page.setViewportSize(narrow);
    const width = await settledWidth(page);
    await page.setViewportSize(wide);
    return [...light, ...dark, ...complaints, ...(width > narrow.width ? [`${width} pixels wide`] : [])];
  }

  return {
    complaints,
    async start(variables) {
      await buildConsole();
      const [system, browser] = await Promise.all([startOauthServer(variables), launchBrowser()]);
      started = { system, browser };
      return system;
    },
    async open(path) {
      const { system, browser } = running();
      const { server, issuer } = system;
      const administration = { id: randomUUID(), email: "bruno@acme.example", scope: "authz:administer" };
      await server.context.store.assignments.insertMissing(administration, new Date());
      const context = await browser.newContext({ locale: "en-US", viewport: wide });
      const page = await context.newPage();
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        // The browser also logs refusals that the console shows as messages.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
          complaints.push(message.text());
        }
      });
      await page.goto(`${issuer}${path}`);
      await page.getByText("Bruno Keller").click();
      await page.waitForURL((url) => url.href.startsWith(`${issuer}${path}`));
      await page.getByRole("heading", { level: 1 }).waitFor();
      opened = page;
      return page;
    },
    browser: () => running().browser,
    async openInGerman(viewport = wide) {
      const storageState = await current().context().storageState();
      const context = await running().browser.newContext({ locale: "de-DE", viewport, storageState });
      return await context.newPage();
    },
    show,
    row: (text) => current().getByRole("row").filter({ hasText: text }),
    button: (name, within = current()) => within.getByRole("button", { name, exact: true }),
    field: (name) => current().getByRole("textbox", { name, exact: true }),
    heading: (name) => current().getByRole("heading", { name, exact: true }),
    faultsOf,
    testAccessibility: (paths) =>
      test.each(paths)("%s is accessible in light, in dark and on a telephone", async (path) => {
        expect(await faultsOf(path)).toEqual([]);
      }),
  };
}

/** Records a person's sign-in through the first provider; returns the person. */
export async function signInPerson(
  { server }: OauthServer,
  person: { readonly email: string; readonly name: string },
) {
  const { store } = server.context;
  const [provider] = await store.identityProviders.listEnabled();
  const providerId = provider?.id ?? "";
  const subject = person.email.split("@")[0] ?? "";
  return await store.transaction((tx) => tx.users.signIn({ ...person, providerId, subject, at: new Date() }));
}

/** The width of the page once its own measuring, as of a chart, is done. */
async function settledWidth(page: Page): Promise<number> {
  const fits = `document.documentElement.scrollWidth <= ${narrow.width}`;
  await page.waitForFunction(fits, undefined, { timeout: 3_000 }).catch(() => undefined);
  return Number(await page.evaluate("document.documentElement.scrollWidth"));
}
