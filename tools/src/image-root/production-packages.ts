import { ReadableError } from "../readable-error.js";

/** One entry of `packages` in package-lock.json, version 3. */
interface LockEntry {
  readonly version?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly hasInstallScript?: boolean;
}

export type LockPackages = Readonly<Record<string, LockEntry>>;

export interface ProductionPackages {
  /** Folders of this repository's own packages, the program's first. */
  readonly workspaces: readonly string[];
  /** Symbolic links to them, from their path below node_modules. */
  readonly links: ReadonlyMap<string, string>;
  /** Folders below node_modules, with the version the lock file asks for. */
  readonly installed: ReadonlyMap<string, string>;
}

/**
 * What one workspace needs to run, as the lock file says: its dependencies and theirs, nothing for development.
 *
 * @throws {ReadableError} A package is not in the lock file, or would have to be built for one platform.
 */
export function productionPackages(lock: LockPackages, workspace: string): ProductionPackages {
  const workspaces: string[] = [];
  const links = new Map<string, string>();
  const installed = new Map<string, string>();

  function visit(path: string): void {
    if (links.has(path) || installed.has(path) || workspaces.includes(path)) return;
    const entry = lock[path];
    if (entry === undefined) throw new ReadableError(`package-lock.json does not know ${path}.`);
    if (entry.link === true && entry.resolved !== undefined) {
      links.set(path, entry.resolved);
      visit(entry.resolved);
      return;
    }
    if (path.includes("node_modules/")) {
      refusePlatformSpecific(path, entry);
      installed.set(path, entry.version ?? "");
    } else {
      workspaces.push(path);
    }
    for (const { name, required } of needsOf(entry)) {
      const found = resolve(lock, path, name);
      if (found !== undefined) visit(found);
      else if (required)
        throw new ReadableError(`package-lock.json does not know ${name}, which ${path} needs.`);
    }
  }

  visit(workspace);
  return { workspaces, links, installed };
}

function needsOf(entry: LockEntry): { name: string; required: boolean }[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta } = entry;
  return [
    ...Object.keys(dependencies).map((name) => ({ name, required: !(name in optionalDependencies) })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, required: false })),
    // A package that wants an optional peer depends on it.
    ...Object.keys(peerDependencies)
      .filter((name) => peerDependenciesMeta?.[name]?.optional !== true)
      .map((name) => ({ name, required: true })),
  ];
}

/** As Node looks a package up: in the nearest node_modules, then outwards. */
function resolve(lock: LockPackages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const candidate = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (candidate in lock) return candidate;
    if (folder === "") return undefined;
  }
}

/** The same folder goes into the images of all platforms. */
function refusePlatformSpecific(path: string, { os, cpu, hasInstallScript }: LockEntry): void {
  if (os === undefined && cpu === undefined && hasInstallScript !== true) return;
  throw new ReadableError(
    `${path} has to be built for its platform, and an image is built once for all of them.\nFind a package without native code, or build each platform on its own.`,
  );
}
