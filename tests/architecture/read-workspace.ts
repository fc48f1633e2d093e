import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Workspace {
  /** Path from the root, such as `packages/dpop`. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly sources: readonly SourceFile[];
}

export interface SourceFile {
  /** Path from the root. */
  readonly path: string;
  /** Path from the workspace's `src`. */
  readonly place: string;
  readonly lines: number;
  readonly code: string;
  readonly imports: readonly string[];
}

/** Every workspace of the repository with its sources. Tests are not sources. */
export function readWorkspaces(): readonly Workspace[] {
  const groups = ["packages", "examples"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  return [...groups, "reference-server", "reference-server/web", "proxy", "benchmarks", "tools"]
    .filter((folder) => exists(join(folder, "package.json")))
    .map(readWorkspace);
}

/** All files below a folder of the repository, as paths from that folder. */
export function filesBelow(folder: string, ending: string): readonly string[] {
  return exists(folder)
    ? readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(ending))
        .sort()
    : [];
}

function readWorkspace(folder: string): Workspace {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
  const sources = [".ts", ".tsx"]
    .flatMap((ending) => filesBelow(join(folder, "src"), ending))
    .map((place) => readSource(folder, place));
  return { folder, manifest, sources };
}

function readSource(folder: string, place: string): SourceFile {
  const path = join(folder, "src", place);
  const text = readFileSync(join(root, path), "utf8");
  const code = withoutComments(text);
  return {
    path,
    place,
    lines: text.split("\n").length - 1,
    code,
    imports: importsOf(withoutTemplates(code)),
  };
}

/** Strings and templates are matched first, so that a comment sign inside one is no comment. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[^]*?\*\//g,
    (_, literal: string | undefined) => literal ?? " ",
  );
}

/** A template may be the text of another program. */
function withoutTemplates(code: string): string {
  return code.replaceAll(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|`(?:\\.|[^`\\])*`/g,
    (_, text?: string) => text ?? "``",
  );
}

/** Specifiers of static imports, re-exports and dynamic imports of a literal. */
export function importsOf(code: string): string[] {
  const statement =
    /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']/gm;
  const dynamic = /\bimport\s*\(\s*["']([^"']+)["']/g;
  return [...code.matchAll(statement), ...code.matchAll(dynamic)].map((match) => match[1] ?? match[2] ?? "");
}

/** `@scope/name/sub` → `@scope/name`, `name/sub` → `name`. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

export function isRelative(specifier: string): boolean {
  return specifier.startsWith(".");
}

export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:");
}

/** Where a relative import leads, as a path from the root, with the ending it has in the sources; a bundler's import has none. */
export function targetOf(source: SourceFile, specifier: string): string {
  const written = join(dirname(source.path), specifier);
  const name = written.replace(/\.js$/, "");
  return [`${name}.ts`, `${name}.tsx`].find(exists) ?? written;
}

export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

export function nameOf(path: string): string {
  return basename(path);
}

/**
 * The circles in which files import each other, each in order; with `groupOf`, those of groups of files, such as folders.
 */
export function findCircles(
  sources: readonly SourceFile[],
  groupOf: (path: string) => string = (path) => path,
): readonly string[][] {
  const targets = new Map<string, Set<string>>(sources.map(({ path }) => [groupOf(path), new Set()]));
  for (const source of sources) {
    const from = groupOf(source.path);
    for (const specifier of source.imports.filter(isRelative)) {
      const to = groupOf(targetOf(source, specifier));
      if (to !== from) targets.get(from)?.add(to);
    }
  }
  const circles: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  function visit(node: string): void {
    const before = way.indexOf(node);
    if (before >= 0) circles.push(way.slice(before));
    if (before >= 0 || done.has(node)) return;
    way.push(node);
    for (const target of targets.get(node) ?? []) visit(target);
    way.pop();
    done.add(node);
  }
  for (const node of targets.keys()) visit(node);
  return circles;
}

/** The folder of a file; a file in `src` itself stands for itself, because such files wire what is in the folders. */
export function folderOf(path: string): string {
  const folder = dirname(path);
  return basename(folder) === "src" ? path : folder;
}
