import { randomUUID } from "node:crypto";
import { scanAccessibility } from "authz-tools/accessibility";
import type { Browser, Page } from "authz-tools/browser";
import { beforeEach } from "vitest";
import type { OauthServer } from "./oauth-server.js";

const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 844 };

type Locator = ReturnType<Page["locator"]>;

/** One window in which Bruno administers. Its parts can be named before it is open. */
export interface ConsoleWindow {
  /** What the browser held against the page in this test, such as a violated policy. */
  readonly complaints: readonly string[];
  /** Lets Bruno administer, signs him in and opens this path of the server. */
  open: (from: { readonly browser: Browser; readonly system: OauthServer }, path: string) => Promise<Page>;
  /** Goes to a screen, by its path below `/admin`. */
  show: (path: string) => Promise<void>;
  row: (text: string | RegExp) => Locator;
  button: (name: string, within?: Pick<Page, "getByRole">) => Locator;
  field: (name: string) => Locator;
  heading: (name: string) => Locator;
  /** Looks at a screen in light, in dark and on a telephone: what the scan and the browser held against it, and a width that scrolls. */
  faultsOf: (path: string) => Promise<readonly string[]>;
}

export function createConsoleWindow(): ConsoleWindow {
  const complaints: string[] = [];
  let opened: { readonly page: Page; readonly issuer: string } | undefined;
  const current = () => {
    if (opened === undefined) throw new Error("Open the window first.");
    return opened;
  };
  beforeEach(() => {
    complaints.length = 0;
  });

  async function show(path: string): Promise<void> {
    const { page, issuer } = current();
    await page.goto(`${issuer}/admin${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  }

  return {
    complaints,
    async open({ browser, system }, path) {
      const { server, issuer } = system;
      const administration = { id: randomUUID(), email: "bruno@acme.example", scope: "authz:administer" };
      await server.context.store.assignments.insertMissing(administration, new Date());
      const context = await browser.newContext({ locale: "en-US", viewport: wide });
      const page = await context.newPage();
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        // A refusal that the console shows in words is logged by the browser as well.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
          complaints.push(message.text());
        }
      });
      await page.goto(`${issuer}${path}`);
      await page.getByText("Bruno Keller").click();
      await page.waitForURL((url) => url.href.startsWith(`${issuer}${path}`));
      await page.getByRole("heading", { level: 1 }).waitFor();
      opened = { page, issuer };
      return page;
    },
    show,
    row: (text) => current().page.getByRole("row").filter({ hasText: text }),
    button: (name, within = current().page) => within.getByRole("button", { name, exact: true }),
    field: (name) => current().page.getByRole("textbox", { name, exact: true }),
    heading: (name) => current().page.getByRole("heading", { name, exact: true }),
    async faultsOf(path) {
      const { page } = current();
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
    },
  };
}

/** How wide the page is once what measures itself, as a chart does, has done so. */
async function settledWidth(page: Page): Promise<number> {
  const fits = `document.documentElement.scrollWidth <= ${narrow.width}`;
  await page.waitForFunction(fits, undefined, { timeout: 3_000 }).catch(() => undefined);
  return Number(await page.evaluate("document.documentElement.scrollWidth"));
}
