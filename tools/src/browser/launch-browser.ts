import process from "node:process";
import { type Browser, chromium } from "playwright-core";
import { type Chromium, findChromium } from "./find-chromium.js";

export type { Browser, Page } from "playwright-core";

const quiet = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-sync",
  "--no-first-run",
];

/** Milliseconds that a page may take on a machine that is busy with other things. */
const patience = 120_000;

/** Starts Chromium without a window. As root it runs without its sandbox, which refuses root. */
export async function launchBrowser(found?: Chromium): Promise<Browser> {
  const { executable, env } = found ?? (await findChromium());
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined;
  });
  const browser = await chromium.launch({
    executablePath: executable,
    args: quiet,
    chromiumSandbox: process.getuid?.() !== 0,
    env: { ...Object.fromEntries(inherited), ...env },
    timeout: patience,
  });
  browser.on("context", (context) => context.setDefaultTimeout(patience));
  return browser;
}
