import { launchBrowser, type Page } from "authz-tools/browser";
import { buildConsole } from "./build-console.js";
import type { Installation } from "./installation.js";
import { traceFrames } from "./trace-frames.js";

/** Rows that are loaded before anything is measured. */
const rows = 10_000;
/** How much slower the browser's processor is than this machine's. */
const slowdown = 4;
const seconds = 5;
/** Pixels in each frame: a row or two, as a finger or a wheel does, and more than a window, as a dragged scroll bar does. */
const speeds = [90, 1_800] as const;

/** How long frames take while a long list is scrolled. */
export interface Frames {
  readonly rows: number;
  readonly pixels: number;
  /** From one frame to the next, in milliseconds. A display that shows sixty in a second has one every 16.7. */
  readonly median: number;
  readonly p95: number;
  readonly slowest: number;
  /** What the page's thread computes for a frame, with what slows it and the tracing, in milliseconds: waiting does not count. */
  readonly computedP95: number;
}

/**
 * Loads 10,000 assignments into the list of the console by scrolling, then scrolls through them in a browser whose processor is
 * slowed four times.
 */
export async function measureFrames({ origin, cookie }: Installation): Promise<readonly Frames[]> {
  await buildConsole();
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: origin }]);
    const page = await context.newPage();
    await page.goto(`${origin}/admin/assignments`);
    await loadRows(page);
    const protocol = await context.newCDPSession(page);
    await protocol.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    const measured: Frames[] = [];
    for (const pixels of speeds) {
      // Twice: at first the compiler is at work, and the garbage of loading goes. Before the tracing, which the page is busy with for a while.
      // oxlint-disable-next-line no-await-in-loop -- one page
      await page.evaluate(scrolling(pixels));
      // oxlint-disable-next-line no-await-in-loop -- one page
      const frames = await page.evaluate<readonly number[]>(scrolling(pixels));
      // oxlint-disable-next-line no-await-in-loop -- one page
      const computed = await traceFrames(protocol, async () => void (await page.evaluate(scrolling(pixels))));
      measured.push({
        rows,
        pixels,
        median: quantile(frames, 0.5),
        p95: quantile(frames, 0.95),
        slowest: quantile(frames, 1),
        computedP95: quantile(computed, 0.95),
      });
    }
    return measured;
  } finally {
    await browser.close();
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

async function loadRows(page: Page): Promise<void> {
  await page.locator("tbody tr[data-index]").first().waitFor();
  await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const last = [...document.querySelectorAll("tbody tr[data-index]")].at(-1);
      if (Number(last?.dataset.index) >= ${rows} - 1) return resolve();
      scrollTo(0, document.documentElement.scrollHeight);
      setTimeout(look, 20);
    };
    look();
  })`);
}

/** Down for half of the time and up again, by the same distance in each frame; returns how long each frame took. */
function scrolling(pixels: number): string {
  return `new Promise((resolve) => {
    scrollTo(0, 0);
    const frames = [];
    let started;
    let last;
    const frame = (now) => {
      started ??= now;
      if (last !== undefined) frames.push(now - last);
      last = now;
      if (now - started > ${seconds} * 1000) return resolve(frames);
      scrollBy(0, now - started < ${seconds} * 500 ? ${pixels} : -${pixels});
      requestAnimationFrame(frame);
    };
    setTimeout(() => requestAnimationFrame(frame), 500);
  })`;
}
