import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { ReadableError } from "../readable-error.js";
import { type ImageContents, libraryFiles } from "./images.js";
import { type LockPackages, productionPackages } from "./production-packages.js";

export interface ImageRootOptions {
  /** The root folder of the repository, installed and built. */
  readonly repository: string;
  readonly image: ImageContents;
  /** Is created; has to be empty or missing. */
  readonly target: string;
}

/** Folders at the top of other people's packages that nothing loads. */
const ballast = new Set(
  "test tests __tests__ spec specs integration bench benchmark benchmarks example examples docs coverage .github .vscode".split(
    " ",
  ),
);
/** Types, sources, source maps, explanations, tests. */
const ballastFile = /\.(?:ts|mts|cts|tsx|map|md|markdown|sh|tsbuildinfo)$|\.(?:test|spec)\.[a-z]+$/;
const licence = /^licen[cs]e/i;

/**
 * Fills a folder with everything a program needs to run, and nothing it was made with.
 *
 * The layout is the repository's own, so that what runs here runs there; commands are linked into `bin/`.
 *
 * @throws {ReadableError} Something is not installed as the lock file says, or not built.
 */
export function buildImageRoot({ repository, image, target }: ImageRootOptions): void {
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new ReadableError(`${target} is not empty.\nName a folder that does not exist yet.`);
  }
  const lock = readJson(join(repository, "package-lock.json")) as { packages: LockPackages };
  const { workspaces, links, installed } = productionPackages(lock.packages, image.workspace);
  for (const folder of workspaces) {
    for (const file of folder === image.workspace ? image.files : libraryFiles) {
      copyOwn(join(repository, folder, file), join(target, folder, file));
    }
  }
  for (const [path, version] of installed) {
    assertInstalled(join(repository, path), version);
    copyInstalled(join(repository, path), join(target, path));
  }
  for (const [path, folder] of links) link(target, path, folder);
  linkCommands(target, image.workspace);
}

function copyOwn(from: string, to: string): void {
  if (!existsSync(from)) {
    throw new ReadableError(`${from} is missing.\nBuild first: npx tsc -b`);
  }
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, filter: (path) => statSync(path).isDirectory() || !isBallast(path) });
}

function copyInstalled(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter(path) {
      const inside = relative(from, path);
      // Packages inside packages have their own entry in the lock file.
      if (inside === "node_modules" || ballast.has(inside)) return false;
      return !isBallast(path) || statSync(path).isDirectory();
    },
  });
}

function isBallast(path: string): boolean {
  return ballastFile.test(path) && !licence.test(basename(path));
}

function assertInstalled(path: string, version: string): void {
  const manifest = join(path, "package.json");
  const found = existsSync(manifest) ? (readJson(manifest) as { version?: string }).version : "nothing";
  if (found !== version) {
    throw new ReadableError(
      `${path}: the lock file asks for ${version}, installed is ${found}.\nInstall first: npm ci`,
    );
  }
}

function link(target: string, path: string, to: string): void {
  const from = join(target, path);
  mkdirSync(dirname(from), { recursive: true });
  symlinkSync(relative(dirname(from), join(target, to)), from);
}

function linkCommands(target: string, workspace: string): void {
  const { bin = {} } = readJson(join(target, workspace, "package.json")) as { bin?: Record<string, string> };
  for (const [name, file] of Object.entries(bin)) {
    const script = join(workspace, file);
    chmodSync(join(target, script), 0o755);
    link(target, join("bin", name), script);
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
