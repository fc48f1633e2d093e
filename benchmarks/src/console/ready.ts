import { type Browser, launchBrowser } from "authz-tools/browser";
import { median, tell } from "../frame.js";
import { buildConsole } from "./build-console.js";
import type { Installation } from "./installation.js";

/** How much slower the browser's processor is than this machine's. */
const slowdown = 4;
const visits = 7;
const screens = ["", "/users", "/assignments", "/audit"] as const;

/** How long it takes until a screen can be used by somebody whose browser has nothing of the console. */
export interface Ready {
  readonly path: string;
  /** From the beginning of the navigation to the frame in which the heading and the data are there, in milliseconds. */
  readonly median: number;
  readonly slowest: number;
}

/** Opens screens again and again, each time in a new browser context whose processor is slowed four times. */
export async function measureReady({ origin, cookie }: Installation): Promise<readonly Ready[]> {
  await buildConsole();
  const browser = await launchBrowser();
  try {
    const times = new Map<string, number[]>(screens.map((path) => [path, []]));
    // The first visit of all is the server's first as well: it is not counted.
    for (let visit = 0; visit <= visits; visit += 1) {
      for (const path of screens) {
        tell(`visit ${visit} of ${visits}: /admin${path}`);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const milliseconds = await visitOnce(browser, { origin, cookie, path });
        if (visit > 0) times.get(path)?.push(milliseconds);
      }
    }
    tell("");
    return [...times].map(([path, all]) => ({
      path: `/admin${path}`,
      median: median(all),
      slowest: Math.max(...all),
    }));
  } finally {
    await browser.close();
  }
}

async function visitOnce(
  browser: Browser,
  { origin, cookie, path }: { readonly origin: string; readonly cookie: string; readonly path: string },
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: origin }]);
    await context.addInitScript(watching);
    const page = await context.newPage();
    const protocol = await context.newCDPSession(page);
    await protocol.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    await page.goto(`${origin}/admin${path}`);
    return await page.evaluate<number>(untilReady);
  } finally {
    await context.close();
  }
}

const untilReady = `new Promise((resolve) => {
  const look = () => (window.readyAt === undefined ? setTimeout(look, 20) : resolve(window.readyAt));
  look();
})`;

/** Looks in each frame whether the screen is there; says when the frame that shows it is drawn. */
const watching = `(() => {
  const look = () => {
    const isThere = document.querySelector("main h1") !== null &&
      document.querySelector('.table-placeholder, [aria-busy="true"]') === null;
    if (!isThere) return requestAnimationFrame(look);
    requestAnimationFrame(() => (window.readyAt = performance.now()));
  };
  requestAnimationFrame(look);
})()`;
