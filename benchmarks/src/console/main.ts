/**
 * How long the administration API takes in a large installation: 10,000 people, 2,000 services, 100,000 assignments,
 * five million audit events. Every list, the audit search, the overview and the previews; medians, one request at a time.
 *
 *     npm run bench -- console [--quick] [--rounds=7] [--only=/users] [--folder=FOLDER]
 *
 * `--folder` keeps the installation there, and uses the one that is there. Several can be named in `--only`, with commas.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { conditions, inTurns, layOutTable, median, readOptions } from "../frame.js";
import { createAsker } from "./asker.js";
import { fullExtent, quickExtent } from "./extent.js";
import { type Installation, startInstallation } from "./installation.js";
import { measuredRequests } from "./requests.js";

const goalMilliseconds = 200;

const { quick, rounds, endAt, own, publish } = readOptions({ rounds: [7, 3] }, ["only", "folder"]);
const extent = quick ? quickExtent : fullExtent;
const folder =
  own["folder"] === undefined ? mkdtempSync(join(tmpdir(), "authz-bench-console-")) : resolve(own["folder"]);

let installation: Installation | undefined;
try {
  installation = await startInstallation(folder, extent);
  const results = await measure(installation);
  process.stdout.write(report(installation, results));
  const medians = results.map(({ milliseconds }) => median(milliseconds));
  publish([
    {
      what: `Slowest of ${String(results.length)} requests of the console, ${String(extent.events)} events`,
      figure: `${Math.max(...medians).toFixed(0)} ms`,
      beside: "the goal of 200 ms",
      ratio: (Math.max(...medians) / goalMilliseconds).toFixed(2),
    },
  ]);
} finally {
  await installation?.stop();
  if (own["folder"] === undefined) rmSync(folder, { recursive: true, force: true });
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
