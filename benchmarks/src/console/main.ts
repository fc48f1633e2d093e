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
import { resolve } from "node:path";
import { framesExtent, fullExtent, quickExtent } from "../authz/seed-registry.js";
import { conditions, inTurns, inWorkplace, layOutTable, median, print, readOptions } from "../frame.js";
import { measureInBrowser } from "./browser.js";
import { type Installation, startInstallation } from "./installation.js";
import { connectAdministrator, measuredRequests } from "./requests.js";

const goals = { request: 200, frame: 32, ready: 1_200 };

const { quick, rounds, endAt, own, publish } = readOptions({ rounds: [7, 3] }, ["only", "folder"]);
const onlyBrowser = own["only"] === "browser";
const extent = onlyBrowser ? framesExtent : quick ? quickExtent : fullExtent;

await inWorkplace(async ({ folder, keep }) => {
  const place = own["folder"] === undefined ? folder : resolve(own["folder"]);
  const installation = keep(await startInstallation(place, extent));
  const results = onlyBrowser ? [] : await measure(installation);
  if (!onlyBrowser) print(...report(installation, results));
  const { frames, ready } = await measureInBrowser(installation);
  const frameRows = frames.map(({ rows, pixels, ...times }) => [
    `${rows} rows, ${pixels} pixels a frame`,
    ...[times.median, times.p95, times.slowest, times.computedP95].map((milliseconds) =>
      milliseconds.toFixed(1),
    ),
    slowMark(times.p95, goals.frame),
  ]);
  const frameHead = ["", "median ms", "p95 ms", "slowest ms", "p95 computed ms", `${goals.frame} ms`];
  print(...layOutTable([frameHead, ...frameRows]));
  const readyRows = ready.map((screen) => [
    screen.path,
    screen.median.toFixed(0),
    screen.slowest.toFixed(0),
    slowMark(screen.median, goals.ready),
  ]);
  print(...layOutTable([["ready", "median ms", "slowest ms", `${goals.ready} ms`], ...readyRows]));
  const slowed = "processor slowed four times";
  publish([
    {
      what: `Slowest of ${results.length} requests of the console, ${extent.events} events`,
      ...besideGoal(
        results.map(({ milliseconds }) => median(milliseconds)),
        goals.request,
      ),
    },
    {
      what: `p95 of a frame in the console, 10,000 rows, ${slowed}`,
      ...besideGoal(
        frames.map(({ p95 }) => p95),
        goals.frame,
      ),
    },
    {
      what: `Slowest of four screens of the console until it is ready, nothing cached, ${slowed}`,
      ...besideGoal(
        ready.map((screen) => screen.median),
        goals.ready,
      ),
    },
  ]);
});

function slowMark(milliseconds: number, goal: number): string {
  return milliseconds < goal ? "" : "SLOW";
}

function besideGoal(values: readonly number[], goal: number) {
  const slowest = Math.max(...values);
  return {
    figure: `${slowest.toFixed(0)} ms`,
    beside: `the goal of ${goal} ms`,
    ratio: (slowest / goal).toFixed(2),
  };
}

interface Result {
  readonly name: string;
  readonly milliseconds: readonly number[];
  readonly items: number | undefined;
}

async function measure({ origin, cookie }: Installation): Promise<readonly Result[]> {
  const administrator = await connectAdministrator(origin, cookie);
  await administrator.checkTrail();
  const wanted = (own["only"] ?? "").split(",");
  const requests = measuredRequests(new Date()).filter(({ name }) =>
    wanted.some((text) => name.includes(text)),
  );
  const turns = [];
  for (const request of requests) {
    const prepared = { ...request, path: await administrator.toPage(request) };
    turns.push({ name: request.name, take: () => administrator.send(prepared) });
  }
  const samples = await inTurns(turns, { rounds, endAt });
  return requests.map(({ name }, index) => ({
    name,
    milliseconds: (samples[index] ?? []).map(({ milliseconds }) => milliseconds),
    items: samples[index]?.at(-1)?.items,
  }));
}

function report({ seedSeconds }: Installation, results: readonly Result[]): readonly string[] {
  const rows = results.map(({ name, milliseconds, items }) => [
    name,
    items?.toString() ?? "",
    median(milliseconds).toFixed(0),
    Math.max(...milliseconds).toFixed(0),
    slowMark(median(milliseconds), goals.request),
  ]);
  const slow = rows.filter((row) => row.at(-1) !== "").length;
  const seeded = seedSeconds === undefined ? "seeded before" : `seeded in ${seedSeconds.toFixed(0)} s`;
  const { users, assignments, events } = extent;
  return [
    ...layOutTable([["", "items", "median ms", "slowest ms", `${goals.request} ms`], ...rows]),
    "",
    `${results.length} requests, ${slow === 0 ? "all" : `all but ${slow}`} below ${goals.request} ms at the median.`,
    `${users} people, ${assignments} assignments, ${events} events; ${seeded}.`,
    conditions(results.map(({ milliseconds }) => milliseconds)),
  ];
}
