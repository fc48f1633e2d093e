/**
 * `npm test`: format, lint, unused code, types and every test but the long ones. `npm run test:system`: those, which start whole systems and
 * browsers, or pack and install. Extra arguments go to vitest.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { bootstrap, root } from "./bootstrap.mjs";

const started = performance.now();
const [project, options] =
  process.argv[2] === "--system" ? ["system", process.argv.slice(3)] : ["tests", process.argv.slice(2)];
await bootstrap();

const folder = mkdtempSync(join(tmpdir(), "authz-test-"));
const report = join(folder, "report.json");
const checks = [
  { title: "Format", command: ["biome", "format", "."], hint: "npm run format" },
  {
    title: "Lint",
    command: ["oxlint", "--type-aware", "--report-unused-disable-directives-severity=error"],
    hint: "npm run lint",
  },
  {
    title: "Unused code",
    command: ["knip", "--no-progress", "--no-config-hints"],
    hint: "npx knip (stop exporting what it lists, or delete it)",
  },
  { title: "Types of the tests", command: ["tsc", "-b"] },
];
const tests = {
  title: "Tests",
  command: [
    "vitest",
    "run",
    `--project=${project}`,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...options,
  ],
};

const results = [];
for (const { title, command, hint } of project === "system" ? [tests] : [...checks, tests]) {
  process.stdout.write(`\n== ${title}\n\n`);
  const before = performance.now();
  const code = await run(command);
  results.push({ title, hint, code, seconds: (performance.now() - before) / 1000 });
}
const counted = count(report);
rmSync(folder, { recursive: true, force: true });
summarize();

/** Runs a program of node_modules/.bin with our own output. */
function run([name, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(join(root, "node_modules", ".bin", name), args, { cwd: root, stdio: "inherit" });
    child.on("error", (error) => {
      process.stderr.write(`${name}: ${error.message}\n`);
      resolve(1);
    });
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/** A test file that could not even be loaded counts as one failure. */
function count(file) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      readFileSync(file, "utf8"),
    );
    const broken = testResults.filter(
      ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
    );
    return { passed: numPassedTests, failed: numFailedTests + broken.length, skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function summarize() {
  const failed = results.some(({ code }) => code !== 0) || counted.failed > 0;
  process.stdout.write("\n== Summary\n\n");
  for (const { title, hint, code, seconds } of results) {
    const remedy = code !== 0 && hint !== undefined ? `   see: ${hint}` : "";
    process.stdout.write(
      `  ${code === 0 ? "✓" : "✗"} ${title.padEnd(22)} ${seconds.toFixed(1).padStart(6)} s${remedy}\n`,
    );
  }
  const total = (performance.now() - started) / 1000;
  process.stdout.write(`    ${"Everything".padEnd(22)} ${total.toFixed(1).padStart(6)} s\n\n`);
  if (counted.skipped > 0) {
    process.stdout.write(`${counted.skipped} skipped\n`);
  }
  process.stdout.write(`${counted.passed} passed, ${counted.failed} failed\n`);
  process.exitCode = failed ? 1 : 0;
}
