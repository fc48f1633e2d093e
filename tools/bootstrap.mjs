/**
 * Makes a bare clone runnable: checks Node.js, installs the packages of the lock file, compiles. Each part is skipped
 * when there is nothing to do. Plain JavaScript with Node's own modules only: nothing else is there yet.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const REQUIRED_NODE = [20, 19];
const stampFile = join(root, "node_modules", ".authz-installed");

/** Installs and builds what is missing. Ends the process with a readable message when that is impossible. */
export async function bootstrap() {
  checkNode();
  const { createProgress } = await import("./progress.mjs");
  const progress = createProgress();
  if (!isInstalled()) {
    await install(progress.step("Installing packages"));
  }
  await build(progress.step("Compiling"));
}

/** Prints one failure the way all of them look, and ends the process. */
export function fail(what, ...more) {
  process.stderr.write(`\n  ${[what, ...more].join("\n").replaceAll("\n", "\n  ")}\n\n`);
  process.exit(1);
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < REQUIRED_NODE[0] || (major === REQUIRED_NODE[0] && minor < REQUIRED_NODE[1])) {
    fail(
      `Node.js ${process.versions.node} is too old.`,
      `This repository needs Node.js ${REQUIRED_NODE.join(".")} or newer: https://nodejs.org/`,
    );
  }
  if (process.platform === "win32") {
    fail(
      "Windows is not supported directly.",
      "Run this inside WSL: https://learn.microsoft.com/windows/wsl/",
    );
  }
}

/** The stamp names the exact lock file and platform, so a pull or a copied folder leads to a new installation. */
function stamp() {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  return `${lock} ${process.platform}-${process.arch}\n`;
}

function isInstalled() {
  if (existsSync(stampFile)) {
    return readFileSync(stampFile, "utf8") === stamp();
  }
  // npm writes this file last, so an installation by hand that finished counts as well.
  const byHand = statSync(join(root, "node_modules", ".package-lock.json"), { throwIfNoEntry: false });
  return byHand !== undefined && byHand.mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs;
}

async function install(step) {
  // npm_execpath is the npm that runs us; without one, the npm in PATH.
  const npm = process.env.npm_execpath;
  const command = npm !== undefined && basename(npm) === "npm-cli.js" ? [process.execPath, npm] : ["npm"];
  const flags = ["--include=dev", "--include=optional", "--no-audit", "--no-fund", "--no-progress"];
  const result = await run([...command, "ci", "--loglevel=error", ...flags], { NODE_ENV: "development" });
  if (result.code !== 0) {
    step.fail();
    // The cause comes first; what follows is npm's manual.
    const words = result.output.trim().split("\n").slice(0, 20).join("\n");
    fail(
      "npm ci failed:",
      "",
      words,
      "",
      "Check the connection to the npm registry (npm ping --loglevel=warn) and the free disk space, then try again.",
    );
  }
  writeFileSync(stampFile, stamp());
  step.done();
}

async function build(step) {
  forgetBuildsWithoutOutput();
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const result = await run([process.execPath, tsc, "-b", "--pretty", "false"]);
  if (result.code !== 0) {
    step.fail();
    fail("The sources do not compile (npx tsc -b):", "", lastLines(result.output, 60));
  }
  await bundle(step);
  await buildConsole(step);
  step.done();
}

/** The command line starts from a bundle; without one it starts from what tsc wrote, only slower. */
async function bundle(step) {
  const script = join(root, "packages", "cli", "bundle.mjs");
  if (!existsSync(script)) return;
  const result = await run([process.execPath, script]);
  if (result.code !== 0) {
    step.fail();
    fail(
      "The command line cannot be bundled (node packages/cli/bundle.mjs):",
      "",
      lastLines(result.output, 60),
    );
  }
}

/** The administration console, from its sources to what the browser loads. Seconds, and only when a source changed. */
async function buildConsole(step) {
  const script = join(root, "reference-server", "web", "build.mjs");
  if (!existsSync(script)) return;
  const result = await run([process.execPath, script]);
  if (result.code !== 0) {
    step.fail();
    fail(
      "The console cannot be built (node reference-server/web/build.mjs):",
      "",
      lastLines(result.output, 60),
    );
  }
}

/** tsc trusts its build records even when the output is gone. */
function forgetBuildsWithoutOutput() {
  const groups = ["packages", "examples"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  for (const folder of [
    ...groups,
    ...["reference-server", "proxy", "benchmarks", "tools"].map((name) => join(root, name)),
  ]) {
    if (!existsSync(join(folder, "dist"))) {
      rmSync(join(folder, "tsconfig.tsbuildinfo"), { force: true });
    }
  }
}

/** Runs a command in the root folder and collects what it prints. Ctrl-C reaches it through the terminal. */
function run([command, ...args], env = {}) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", (error) => resolve({ code: 1, output: `${command}: ${error.message}` }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

function lastLines(text, count) {
  return text.trim().split("\n").slice(-count).join("\n");
}
