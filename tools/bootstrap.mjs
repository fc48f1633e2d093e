/**
 * Makes a bare clone runnable: checks Node.js, installs packages of the lock file, builds. Each part is skipped
 * when there is nothing to do. Plain JavaScript with Node's own modules only: nothing else is there yet.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const requiredNode = [20, 19];
const unfinished = "unfinished everything\n";
const installedStamp = join(root, "node_modules", ".authz-installed");
// npm writes its list of what is installed last.
const installedList = join(root, "node_modules", ".package-lock.json");
const builtStamp = join(root, "node_modules", ".authz-built");
const consoleStamp = join(root, "node_modules", ".authz-console");
const consoleFolder = join(root, "reference-server", "web");

/**
 * What a command needs. `running` is what the system consists of. `everything` has the compiler, linters, test tools and browsers as well,
 * which are three times as large.
 */
const needs = {
  running: { flags: ["--omit=dev"], build: buildRunning },
  everything: { flags: ["--include=dev"], build: buildEverything },
};

/**
 * Installs and builds what is missing. Ends the process with a readable message when that is impossible.
 *
 * @param {keyof typeof needs} [need]
 */
export async function bootstrap(need = "everything") {
  const progress = await ensureInstalled(need);
  await needs[need].build(progress);
}

/**
 * Installs what is missing, and builds nothing.
 *
 * @param {keyof typeof needs} [need]
 */
export async function ensureInstalled(need = "everything") {
  checkNode();
  const { createProgress } = await import("./progress.mjs");
  const progress = createProgress();
  if (!isInstalled(need)) {
    await install(progress.step("Installing packages"), need);
  }
  return progress;
}

/** Prints one failure the way all of them look, and ends the process. */
export function fail(what, ...more) {
  process.stderr.write(`\n  ${[what, ...more].join("\n").replaceAll("\n", "\n  ")}\n\n`);
  process.exit(1);
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < requiredNode[0] || (major === requiredNode[0] && minor < requiredNode[1])) {
    fail(
      `Node.js ${process.versions.node} is too old.`,
      `This repository needs Node.js ${requiredNode.join(".")} or newer: https://nodejs.org/`,
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
function installation(need) {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  return `${lock} ${process.platform}-${process.arch} ${need}\n`;
}

/** A full installation includes what runs. */
function isInstalled(need) {
  // An installation by hand that finished counts as well.
  const byHand = modifiedAt(installedList);
  if (byHand > modifiedAt(installedStamp)) return byHand >= modifiedAt(join(root, "package-lock.json"));
  const installed = readText(installedStamp);
  return installed === installation("everything") || installed === installation(need);
}

/** Of any lock file, also by hand. Without npm's list an installation did not finish, and the stamp says what was there before. */
function hasEverything() {
  const list = readText(installedList);
  return list === undefined ? readText(installedStamp) === unfinished : /"dev":\s*true/.test(list);
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** A full installation stays full: less is for a clone that never had more. */
async function install(step, need) {
  const kept = hasEverything();
  const wanted = kept ? "everything" : need;
  // npm_execpath is the npm that runs us; without one, the npm in PATH.
  const npm = process.env.npm_execpath;
  const command = npm !== undefined && basename(npm) === "npm-cli.js" ? [process.execPath, npm] : ["npm"];
  const flags = [...needs[wanted].flags, "--include=optional", "--no-audit", "--no-fund", "--no-progress"];
  const { result, interrupted } = await outliving(() =>
    run([...command, "ci", "--loglevel=error", ...flags], { NODE_ENV: "development" }),
  );
  if (result.code !== 0) {
    // npm empties the folder before it fetches anything.
    if (kept) {
      mkdirSync(dirname(installedStamp), { recursive: true });
      writeFileSync(installedStamp, unfinished);
    }
    if (interrupted) process.exit(130);
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
  writeFileSync(installedStamp, installation(wanted));
  step.done();
}

/** Ctrl-C, and the end of the terminal, end a command before they end us. */
async function outliving(command) {
  let interrupted = false;
  const note = () => {
    interrupted = true;
  };
  const signals = ["SIGINT", "SIGHUP"];
  for (const signal of signals) process.on(signal, note);
  const result = await command();
  for (const signal of signals) process.off(signal, note);
  return { result, interrupted };
}

/** Only what is newer than its output, and nothing at all when no file is newer than the last build. */
async function buildRunning(progress) {
  const sources = stampOf([
    ...workspaces().map((folder) => join(folder, "src")),
    join(root, "packages", "cli", "bundle.mjs"),
    join(root, "package-lock.json"),
  ]);
  const screens = stampOf([consoleFolder, join(root, "reference-server", "locales")]);
  const isBuilt = readText(builtStamp) === sources && outputs().every((path) => existsSync(path));
  const hasConsole = readText(consoleStamp) === screens && existsSync(join(consoleFolder, "dist"));
  if (isBuilt && hasConsole) return;
  if (!hasConsole && !canBuildConsole()) await install(progress.step("Installing packages"), "running");
  const step = progress.step("Building");
  const { transpile } = await import("./transpile.mjs");
  try {
    const console = hasConsole ? undefined : buildConsole(step);
    await Promise.all([transpile(workspaces()), bundle(step), console]);
  } catch (error) {
    step.fail();
    fail("The sources cannot be built:", "", lastLines(error.message, 60));
  }
  writeFileSync(builtStamp, sources);
  writeFileSync(consoleStamp, screens);
  if (readText(installedStamp) === installation("running") && !hasEverything()) {
    const { removeConsolePackages } = await import("./console-packages.mjs");
    removeConsolePackages(root);
  }
  step.done();
}

function canBuildConsole() {
  return !existsSync(consoleFolder) || existsSync(join(root, "node_modules", "vite"));
}

async function buildEverything(progress) {
  const step = progress.step("Compiling");
  forgetBuildsWithoutOutput();
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const result = await run([process.execPath, tsc, "-b", "tsconfig.build.json", "--pretty", "false"]);
  if (result.code !== 0) {
    step.fail();
    fail("The sources do not compile (npx tsc -b):", "", lastLines(result.output, 60));
  }
  await Promise.all([bundle(step), buildConsole(step)]);
  step.done();
}

/** Names every file below these places with its time and size. */
function stampOf(places) {
  const hash = createHash("sha256");
  for (const path of places.flatMap(filesOf)) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex");
}

function outputs() {
  const bundled = join(root, "packages", "cli", "dist", "bundle");
  return [...workspaces().map((folder) => join(folder, "dist")), bundled].filter((path) =>
    existsSync(dirname(path)),
  );
}

function filesOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules" && name !== "dist" && name !== "test")
    .flatMap(({ name }) => filesOf(join(path, name)));
}

/** Every workspace that is compiled; the console is built in its own way. */
function workspaces() {
  const groups = ["packages", "examples"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  const single = ["reference-server", "proxy", "benchmarks", "tools"].map((name) => join(root, name));
  return [...groups, ...single].filter((folder) => existsSync(join(folder, "src")));
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
  for (const folder of workspaces()) {
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
