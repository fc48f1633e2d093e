/**
 * `npm run bench`: the measurements, one after the other, in at most ten minutes. `npm run bench -- http` runs one of them, in full; `--quick`
 * gives an impression instead of figures to quote; `--table` writes what was measured into docs/reference/performance.md.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, cpus, tmpdir, totalmem, type } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { clearTimeout, setTimeout } from "node:timers";
import { bootstrap, fail, root } from "./bootstrap.mjs";

/** Of all of them together. */
const LIMIT_SECONDS = 600;
/** How they share that, and what makes them fit. What is needed to begin, such as a database, is part of it. */
const SHARES = {
  request: { seconds: 90, options: [] },
  http: { seconds: 120, options: ["--seconds=1"] },
  grants: { seconds: 130, options: ["--seconds=2"] },
  cli: { seconds: 55, options: [] },
  connectors: { seconds: 60, options: [] },
  agents: { seconds: 45, options: [] },
  proxy: { seconds: 45, options: ["--seconds=3"] },
  scale: { seconds: 40, options: ["--seconds=1"] },
  growth: { seconds: 45, options: ["--quick"] },
  // Last: nothing hurries the filling of its database.
  console: { seconds: 80, options: ["--quick"] },
};
const DOCUMENT = join(root, "docs", "reference", "performance.md");

await bootstrap();

const folder = join(root, "benchmarks", "dist");
const all = Object.keys(SHARES);
const { chosen, node, table, passedOn } = readArguments(process.argv.slice(2));
const figuresFolder = mkdtempSync(join(tmpdir(), "authz-bench-figures-"));
try {
  await (chosen.length > 0 && !table ? runInFull() : runAll());
} finally {
  rmSync(figuresFolder, { recursive: true, force: true });
}

/** Those that were named, with the options that were given. */
async function runInFull() {
  for (const name of chosen) {
    process.stdout.write(`\n== ${name}\n\n`);
    const { ok } = await run(name, passedOn);
    if (!ok) process.exitCode = 1;
  }
}

/** All of them, or those that were named for the table, in the time that there is. What one leaves over the next ones have. */
async function runAll() {
  const names = chosen.length > 0 ? chosen : all;
  const figures = [];
  for (const [index, name] of names.entries()) {
    const left = LIMIT_SECONDS - performance.now() / 1000;
    const shares = names.slice(index).map((other) => SHARES[other].seconds);
    const budget = Math.min(1, left / shares.reduce((sum, seconds) => sum + seconds)) * SHARES[name].seconds;
    process.stdout.write(`\n== ${name}, ${index + 1} of ${names.length}, about ${budget.toFixed(0)} s\n\n`);
    const options = [...SHARES[name].options, ...passedOn, `--budget=${budget.toFixed(1)}`];
    const { ok, found, seconds } = await run(name, options, left);
    figures.push(...found);
    process.stdout.write(`\n${ok ? "" : "FAILED, "}${seconds.toFixed(0)} s\n`);
    if (!ok) process.exitCode = 1;
  }
  if (table) await writeTable(figures);
}

/** Runs one in a process of its own; it ends with the time that is left. */
async function run(name, options, leftSeconds) {
  const file = join(figuresFolder, `${name}.json`);
  const started = performance.now();
  const code = await new Promise((resolve, reject) => {
    const args = [join(folder, name, "main.js"), `--figures=${file}`, ...options];
    // A group of its own: what it has started ends with it.
    const child = spawn(node, args, { stdio: ["ignore", "inherit", "inherit"], detached: true });
    const end = () => {
      if (child.pid !== undefined) process.kill(-child.pid);
    };
    const timer = leftSeconds === undefined ? undefined : setTimeout(end, leftSeconds * 1000);
    const interrupted = () => {
      end();
      process.exit(130);
    };
    process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
    child.once("error", reject);
    child.once("close", (status) => {
      clearTimeout(timer);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      resolve(status);
    });
  });
  const found = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  return { ok: code === 0, found, seconds: (performance.now() - started) / 1000 };
}

async function writeTable(figures) {
  if (figures.length === 0) fail("Nothing was measured, so no table is written.");
  const { insertTable } = await import("../benchmarks/dist/table.js");
  const conditions = {
    node: execFileSync(node, ["--version"], { encoding: "utf8" }).trim(),
    machine: describeMachine(),
    date: new Date().toISOString().slice(0, 10),
    minutes: performance.now() / 60_000,
  };
  writeFileSync(DOCUMENT, insertTable(readFileSync(DOCUMENT, "utf8"), figures, conditions));
  const missing = process.exitCode === 1 ? " It lacks what failed." : "";
  process.stdout.write(`\nThe table is in ${DOCUMENT}.${missing}\n`);
}

function describeMachine() {
  const [{ model }] = cpus();
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const name = model.trim() === "" || model === "unknown" ? "" : ` (${model.trim()})`;
  return `${type()} ${arch()}, ${cpus().length} cores${name}, ${memory} of memory, PostgreSQL 16`;
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
  --table       writes what was measured into docs/reference/performance.md
  --rounds=N --seconds=N and options of their own: see benchmarks/README.md
`,
    );
    process.exit();
  }
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) fail(`There is no benchmark "${unknown}".`, `There are: ${all.join(", ")}`);
  const other = options.find((option) => option.startsWith("--node="))?.slice("--node=".length);
  return {
    chosen: names,
    node: other ?? process.execPath,
    table: options.includes("--table"),
    passedOn: options.filter((option) => option !== "--table" && !option.startsWith("--node=")),
  };
}
