/**
 * How long the administration API takes in a large installation: 10,000 people, 2,000 services, 100,000 assignments,
 * five million audit events. Every list, the audit search, the overview and the previews; medians, one request at a time.
 *
 * Then, in a browser with a slowed processor: how long frames take while 10,000 rows are scrolled, and how long it takes until a screen is
 * ready.
 *
 *     npm run bench -- console [--quick] [--rounds=7] [--only=/users] [--folder=FOLDER]
 *
 * `--folder` keeps the installation there, and uses the one that is there. Several can be named in `--only`, with commas;
 * `--only=browser` measures nothing but what the browser does, in an installation that has little else.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { conditions, inTurns, layOutTable, median, readOptions } from "../frame.js";
import { createAsker } from "./asker.js";
import { framesExtent, fullExtent, quickExtent } from "./extent.js";
import { type Frames, measureFrames } from "./frames.js";
import { measureReady, type Ready } from "./ready.js";
import { type Installation, startInstallation } from "./installation.js";
import { measuredRequests } from "./requests.js";

const goalMilliseconds = 200;
const frameGoalMilliseconds = 32;
const readyGoalMilliseconds = 1_200;

const { quick, rounds, endAt, own, publish } = readOptions({ rounds: [7, 3] }, ["only", "folder"]);
const onlyBrowser = own["only"] === "browser";
const extent = onlyBrowser ? framesExtent : quick ? quickExtent : fullExtent;
const folder =
  own["folder"] === undefined ? mkdtempSync(join(tmpdir(), "authz-bench-console-")) : resolve(own["folder"]);

let installation: Installation | undefined;
try {
  installation = await startInstallation(folder, extent);
  const results = onlyBrowser ? [] : await measure(installation);
  if (!onlyBrowser) process.stdout.write(report(installation, results));
  const frames = await measureFrames(installation);
  process.stdout.write(reportFrames(frames));
  const ready = await measureReady(installation);
  process.stdout.write(reportReady(ready));
  const medians = results.map(({ milliseconds }) => median(milliseconds));
  const slowestFrames = Math.max(...frames.map(({ p95 }) => p95));
  const slowestReady = Math.max(...ready.map((screen) => screen.median));
  publish([
    {
      what: `Slowest of ${String(results.length)} requests of the console, ${String(extent.events)} events`,
      figure: `${Math.max(...medians).toFixed(0)} ms`,
      beside: "the goal of 200 ms",
      ratio: (Math.max(...medians) / goalMilliseconds).toFixed(2),
    },
    {
      what: "p95 of a frame in the console, 10,000 rows, processor slowed four times",
      figure: `${slowestFrames.toFixed(0)} ms`,
      beside: "the goal of 32 ms",
      ratio: (slowestFrames / frameGoalMilliseconds).toFixed(2),
    },
    {
      what: "Slowest of four screens of the console until it is ready, nothing cached, processor slowed four times",
      figure: `${slowestReady.toFixed(0)} ms`,
      beside: "the goal of 1200 ms",
      ratio: (slowestReady / readyGoalMilliseconds).toFixed(2),
    },
  ]);
} finally {
  await installation?.stop();
  if (own["folder"] === undefined) rmSync(folder, { recursive: true, force: true });
}

function reportFrames(frames: readonly Frames[]): string {
  const rows = frames.map(({ rows: count, pixels, ...times }) => [
    `${String(count)} rows, ${String(pixels)} pixels a frame`,
    ...[times.median, times.p95, times.slowest, times.computedP95].map((milliseconds) =>
      milliseconds.toFixed(1),
    ),
    times.p95 < frameGoalMilliseconds ? "" : "SLOW",
  ]);
  const head = [
    "",
    "median ms",
    "p95 ms",
    "slowest ms",
    "p95 computed ms",
    `${String(frameGoalMilliseconds)} ms`,
  ];
  return [...layOutTable([head, ...rows]), ""].join("\n");
}

function reportReady(ready: readonly Ready[]): string {
  const rows = ready.map(({ path, median: middle, slowest }) => [
    path,
    middle.toFixed(0),
    slowest.toFixed(0),
    middle < readyGoalMilliseconds ? "" : "SLOW",
  ]);
  const head = ["ready", "median ms", "slowest ms", `${String(readyGoalMilliseconds)} ms`];
  return [...layOutTable([head, ...rows]), ""].join("\n");
}

interface Result {
  readonly name: string;
  readonly milliseconds: readonly number[];
  readonly items: number | undefined;
}

async function measure({ origin, cookie }: Installation): Promise<readonly Result[]> {
  const ask = await createAsker(origin, cookie);
  await ask.checkTrail();
  const wanted = (own["only"] ?? "").split(",");
  const requests = measuredRequests(new Date()).filter(({ name }) =>
    wanted.some((text) => name.includes(text)),
  );
  const turns = [];
  for (const request of requests) {
    const prepared = { ...request, path: await ask.toPage(request) };
    turns.push({ name: request.name, take: () => ask.once(prepared) });
  }
  const samples = await inTurns(turns, { rounds, endAt });
  return requests.map(({ name }, index) => ({
    name,
    milliseconds: (samples[index] ?? []).map(({ milliseconds }) => milliseconds),
    items: samples[index]?.at(-1)?.items,
  }));
}

function report({ seedSeconds }: Installation, results: readonly Result[]): string {
  const rows = results.map(({ name, milliseconds, items }) => {
    const middle = median(milliseconds);
    const slowest = Math.max(...milliseconds);
    return [
      name,
      items?.toString() ?? "",
      middle.toFixed(0),
      slowest.toFixed(0),
      middle < goalMilliseconds ? "" : "SLOW",
    ];
  });
  const slow = rows.filter(([, , , , mark]) => mark !== "").length;
  return [
    ...layOutTable([["", "items", "median ms", "slowest ms", `${goalMilliseconds} ms`], ...rows]),
    "",
    `${String(results.length)} requests, ${slow === 0 ? "all" : `all but ${String(slow)}`} below ${String(goalMilliseconds)} ms at the median.`,
    `${String(extent.users)} people, ${String(extent.assignments)} assignments, ${String(extent.events)} events; ${
      seedSeconds === undefined ? "seeded before" : `seeded in ${seedSeconds.toFixed(0)} s`
    }.`,
    conditions(results.map(({ milliseconds }) => milliseconds)),
    "",
  ].join("\n");
}
