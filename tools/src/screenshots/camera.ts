import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import UPNG from "upng-js";
import { scanAccessibility } from "../browser/scan-accessibility.js";

/** How a page is looked at. */
export type Look = "light" | "dark" | "narrow";

const looks: Readonly<Record<Look, { colorScheme: "light" | "dark"; width: number; height: number }>> = {
  light: { colorScheme: "light", width: 1280, height: 800 },
  dark: { colorScheme: "dark", width: 1280, height: 800 },
  narrow: { colorScheme: "light", width: 390, height: 844 },
};

interface Picture {
  readonly file: string;
  readonly bytes: number;
}

/** Takes pictures into one folder. */
export interface Camera {
  readonly taken: readonly Picture[];
  /** What axe found in what was taken, and what is wider than its window. */
  readonly findings: readonly string[];
  /** A new window, without cookies or with the given ones. */
  open(options?: Pick<BrowserContextOptions, "locale" | "storageState">): Promise<Page>;
  /** What the window shows now, once for each look: `overview-light.png`. */
  take(page: Page, name: string, as?: readonly Look[]): Promise<void>;
  /** The same, and what is below the edge of the window. */
  takeWhole(page: Page, name: string, as?: readonly Look[]): Promise<void>;
}

const excessWidth = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

const hideMovement =
  "*, *::before, *::after { transition: none !important; caret-color: transparent !important; }";

/** Empties the folder first, so that no picture of a deleted screen stays. Each screen is checked for accessibility. */
export function createCamera(browser: Browser, folder: string): Camera {
  for (const file of readdirSync(folder)) if (file.endsWith(".png")) rmSync(join(folder, file));
  const taken: Picture[] = [];
  const findings: string[] = [];

  async function takeAll(
    page: Page,
    name: string,
    { as, fullPage }: { readonly as: readonly Look[]; readonly fullPage: boolean },
  ): Promise<void> {
    for (const look of as) {
      const { colorScheme, width, height } = looks[look];
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height });
      await settle(page);
      const png = await page.screenshot({
        animations: "disabled",
        caret: "hide",
        fullPage,
        style: hideMovement,
      });
      const file = `${name}-${look}.png`;
      const found = await scanAccessibility(page);
      const excess = await page.evaluate<number>(excessWidth);
      findings.push(...found.map((finding) => `${file}: ${finding}`));
      if (excess > 0) findings.push(`${file}: ${excess} pixels wider than the window`);
      const small = shrink(png);
      writeFileSync(join(folder, file), small);
      taken.push({ file, bytes: small.length });
    }
    await page.setViewportSize({ width: looks.light.width, height: looks.light.height });
    await page.emulateMedia({ colorScheme: looks.light.colorScheme, reducedMotion: "reduce" });
  }

  return {
    taken,
    findings,
    take: (page, name, as = ["light", "dark"]) => takeAll(page, name, { as, fullPage: false }),
    takeWhole: (page, name, as = ["light", "dark"]) => takeAll(page, name, { as, fullPage: true }),
    async open(options = {}) {
      const context: BrowserContext = await browser.newContext({
        locale: "en-GB",
        timezoneId: "UTC",
        reducedMotion: "reduce",
        viewport: { width: looks.light.width, height: looks.light.height },
        ...options,
      });
      return await context.newPage();
    },
  };
}

/** Until everything is there that was asked for, drawn in the fonts of the page. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.locator('.table-placeholder, [aria-busy="true"]').first().waitFor({ state: "detached" });
  await page.evaluate(
    "document.fonts.ready.then(() => new Promise(requestAnimationFrame)).then(() => undefined)",
  );
}

const colours = 64;

/** The same picture with a palette: a fraction of the size, without a visible difference on our screens. */
function shrink(png: Buffer): Buffer {
  const image = UPNG.decode(Uint8Array.from(png).buffer);
  return Buffer.from(UPNG.encode(UPNG.toRGBA8(image), image.width, image.height, colours));
}
