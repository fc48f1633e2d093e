import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Browser, launchBrowser, type Page } from "authz-tools/browser";
import { median, quantile, showProgress } from "../frame.js";
import type { Installation } from "./installation.js";

/** How much slower the browser's processor is than this machine's. */
const slowdown = 4;

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

/** How long it takes until a screen can be used in a browser that has nothing of the console. */
export interface Ready {
  readonly path: string;
  /** From the beginning of the navigation to the frame in which the heading and the data are there, in milliseconds. */
  readonly median: number;
  readonly slowest: number;
}

/** Measures both in a browser whose processor is slowed four times. */
export async function measureInBrowser(
  installation: Installation,
): Promise<{ readonly frames: readonly Frames[]; readonly ready: readonly Ready[] }> {
  await buildConsole();
  const browser = await launchBrowser();
  try {
    return {
      frames: await measureFrames(browser, installation),
      ready: await measureReady(browser, installation),
    };
  } finally {
    await browser.close();
  }
}

/** Builds the console unless it is built already from the same sources. */
async function buildConsole(): Promise<void> {
  const server = dirname(createRequire(import.meta.url).resolve("authz-server/package.json"));
  await promisify(execFile)(process.execPath, ["build.mjs"], { cwd: join(server, "web") });
}

async function openPage(browser: Browser, { origin, cookie }: Installation): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: origin }]);
  return await context.newPage();
}

type Protocol = Awaited<ReturnType<ReturnType<Page["context"]>["newCDPSession"]>>;

async function slowDown(page: Page): Promise<Protocol> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  return protocol;
}

/** Rows that are loaded before anything is measured. */
const rows = 10_000;
const scrollSeconds = 5;
/** Pixels in each frame: a row or two, as a finger or a wheel does, and more than a window, as a dragged scroll bar does. */
const speeds = [90, 1_800] as const;

/** Loads 10,000 assignments into the list of the console by scrolling, then scrolls through them. */
async function measureFrames(browser: Browser, installation: Installation): Promise<readonly Frames[]> {
  const page = await openPage(browser, installation);
  await page.goto(`${installation.origin}/admin/assignments`);
  await page.locator("tbody tr[data-index]").first().waitFor();
  await page.evaluate(loadingRows);
  const protocol = await slowDown(page);
  const measured: Frames[] = [];
  for (const pixels of speeds) {
    // Twice: at first the compiler is at work, and the garbage of loading goes. Before the tracing, which the page is busy with for a while.
    await page.evaluate(scrolling(pixels));
    const frames = await page.evaluate<readonly number[]>(scrolling(pixels));
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
  await page.context().close();
  return measured;
}

const loadingRows = `new Promise((resolve) => {
  const look = () => {
    const last = [...document.querySelectorAll("tbody tr[data-index]")].at(-1);
    if (Number(last?.dataset.index) >= ${rows} - 1) return resolve();
    scrollTo(0, document.documentElement.scrollHeight);
    setTimeout(look, 20);
  };
  look();
})`;

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
      if (now - started > ${scrollSeconds} * 1000) return resolve(frames);
      scrollBy(0, now - started < ${scrollSeconds} * 500 ? ${pixels} : -${pixels});
      requestAnimationFrame(frame);
    };
    setTimeout(() => requestAnimationFrame(frame), 500);
  })`;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly tid: number;
  /** Microseconds: when it began, and how long its thread computed. */
  readonly ts: number;
  readonly tdur?: number;
}

/** How long the page's thread computed for each frame during some work, in milliseconds: without what it waited. */
async function traceFrames(protocol: Protocol, work: () => Promise<void>): Promise<readonly number[]> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { readonly value: readonly unknown[] }) =>
    void events.push(...(value as readonly TraceEvent[]));
  protocol.on("Tracing.dataCollected", collect);
  const traceConfig = {
    includedCategories: ["toplevel", "cc", "devtools.timeline", "disabled-by-default-devtools.timeline"],
  };
  await protocol.send("Tracing.start", { traceConfig, transferMode: "ReportEvents" });
  await work();
  const complete = new Promise<void>((resolve) => protocol.once("Tracing.tracingComplete", () => resolve()));
  await protocol.send("Tracing.end");
  await complete;
  protocol.off("Tracing.dataCollected", collect);

  const begins = events.filter(({ name, ph }) => name === "ProxyMain::BeginMainFrame" && ph === "X");
  const starts = begins.map(({ ts }) => ts).sort((one, other) => one - other);
  const tasks = events.filter(({ name, tid }) => tid === begins[0]?.tid && name === "RunTask");
  const frames = starts.slice(1).map(() => 0);
  for (const { ts, tdur = 0 } of tasks) {
    // A task belongs to the frame that it ends with: what was prepared for it, and drawing it.
    const index = starts.findIndex((start) => ts <= start) - 1;
    if (index >= 0) frames[index] = (frames[index] ?? 0) + tdur / 1000;
  }
  return frames;
}

const visits = 7;
const screens = ["", "/users", "/assignments", "/audit"] as const;

/** Opens screens again and again, each time in a new browser context. */
async function measureReady(browser: Browser, installation: Installation): Promise<readonly Ready[]> {
  const times = new Map<string, number[]>(screens.map((path) => [`/admin${path}`, []]));
  // The first visit of all is the server's first as well: it is not counted.
  for (let visit = 0; visit <= visits; visit += 1) {
    for (const [path, counted] of times) {
      showProgress(`visit ${visit} of ${visits}: ${path}`);
      const milliseconds = await visitOnce(browser, installation, path);
      if (visit > 0) counted.push(milliseconds);
    }
  }
  showProgress("");
  return [...times].map(([path, all]) => ({ path, median: median(all), slowest: Math.max(...all) }));
}

async function visitOnce(browser: Browser, installation: Installation, path: string): Promise<number> {
  const page = await openPage(browser, installation);
  try {
    await page.addInitScript(watching);
    await slowDown(page);
    await page.goto(installation.origin + path);
    return await page.evaluate<number>(untilReady);
  } finally {
    await page.context().close();
  }
}

const untilReady = `new Promise((resolve) => {
  const look = () => (window.readyAt === undefined ? setTimeout(look, 20) : resolve(window.readyAt));
  look();
})`;

/** Looks in each frame whether the screen is there; stores when the frame that shows it is drawn. */
const watching = `(() => {
  const look = () => {
    const isThere = document.querySelector("main h1") !== null &&
      document.querySelector('.table-placeholder, [aria-busy="true"]') === null;
    if (!isThere) return requestAnimationFrame(look);
    requestAnimationFrame(() => (window.readyAt = performance.now()));
  };
  requestAnimationFrame(look);
})()`;
