/**
 * How long the administration API takes in a large installation: 10,000 people, 2,000 services, 100,000 assignments,
 * five million audit events. Every list, the audit search, the overview and the previews; medians, one request at a time.
 *
 *     npm run bench -- console [--short] [--rounds=7] [--only=/users] [--folder=FOLDER]
 *
 * `--folder` keeps the installation there, and uses the one that is there. Several can be named in `--only`, with commas.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { median } from "../median.js";
import { layOutTable } from "../table.js";
import { createAsker } from "./asker.js";
import { fullExtent, shortExtent } from "./extent.js";
import { type Installation, startInstallation } from "./installation.js";
import { measuredRequests } from "./requests.js";

const goalMilliseconds = 200;

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    rounds: { type: "string" },
    only: { type: "string" },
    folder: { type: "string" },
  },
});
const rounds = Number(values.rounds ?? (values.short ? 3 : 7));
const extent = values.short ? shortExtent : fullExtent;
const folder =
  values.folder === undefined ? mkdtempSync(join(tmpdir(), "authz-bench-console-")) : resolve(values.folder);

let installation: Installation | undefined;
try {
  installation = await startInstallation(folder, extent);
  process.stdout.write(report(installation, await measure(installation)));
} finally {
  await installation?.stop();
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

interface Result {
  readonly name: string;
  readonly milliseconds: readonly number[];
  readonly items: number | undefined;
}

/** In rounds, so that a busy minute of the machine does not hit one request alone. The first one warms up. */
async function measure({ origin, cookie }: Installation): Promise<readonly Result[]> {
  const ask = await createAsker(origin, cookie);
  await ask.checkTrail();
  const wanted = (values.only ?? "").split(",");
  const requests = measuredRequests(new Date()).filter(({ name }) =>
    wanted.some((text) => name.includes(text)),
  );
  const prepared = [];
  for (const request of requests) prepared.push({ ...request, path: await ask.toPage(request) });
  const results = prepared.map(({ name }) => ({
    name,
    milliseconds: [] as number[],
    items: undefined as number | undefined,
  }));
  for (let round = 0; round <= rounds; round += 1) {
    process.stderr.write(`\rround ${round} of ${rounds}`);
    for (const [index, request] of prepared.entries()) {
      const { milliseconds, items } = await ask.once(request);
      const result = results[index];
      if (result === undefined || round === 0) continue;
      result.milliseconds.push(milliseconds);
      result.items = items;
    }
  }
  process.stderr.write("\n");
  return results;
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
  const load = loadavg().map((value) => value.toFixed(1));
  return [
    ...layOutTable([["", "items", "median ms", "slowest ms", `${goalMilliseconds} ms`], ...rows]),
    "",
    `${String(results.length)} requests, ${slow === 0 ? "all" : `all but ${String(slow)}`} below ${String(goalMilliseconds)} ms at the median.`,
    `${String(extent.users)} people, ${String(extent.assignments)} assignments, ${String(extent.events)} events; ${
      seedSeconds === undefined ? "seeded before" : `seeded in ${seedSeconds.toFixed(0)} s`
    }.`,
    `Node ${process.versions.node}, ${String(rounds)} rounds, load average ${load.join(" ")}.`,
    "",
  ].join("\n");
}
