import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  allowedImports,
  consoleRooms,
  emptyNames,
  environmentReaders,
  impureTargets,
  judgedByManifest,
  pureFolders,
  serverLibraries,
  serverRooms,
  unpublishedParts,
} from "./directions.js";
import {
  exists,
  filesBelow,
  findCircles,
  folderOf,
  importsOf,
  isBuiltin,
  isRelative,
  nameOf,
  packageOf,
  readWorkspaces,
  root,
  type SourceFile,
  targetOf,
} from "./read-workspace.js";

const workspaces = readWorkspaces();
const server = workspaces.find(({ folder }) => folder === "reference-server");
const adminConsole = workspaces.find(({ folder }) => folder === "reference-server/web");
const libraries = workspaces.filter(({ folder }) => folder.startsWith("packages/"));

/** `file -> import` for each import of these files that the predicate accuses. */
function accuse(
  sources: readonly SourceFile[],
  isWrong: (specifier: string, source: SourceFile) => boolean,
): string[] {
  return sources.flatMap((source) =>
    source.imports
      .filter((specifier) => isWrong(specifier, source))
      .map((specifier) => `${source.path} -> ${specifier}`),
  );
}

/** The aliases by which the console names the types of the admin API, its texts and the keys of both. */
function isConsoleAlias(specifier: string): boolean {
  return /^@(?:admin(?:-http)?|locales|text)\//.test(specifier);
}

describe("reading imports", () => {
  test("finds every form of import and nothing in between", () => {
    const code = [
      'import a from "a";',
      'import {\n  b,\n  type B,\n} from "./b.js";',
      'import type { C } from "c";',
      'import "d";',
      'export * from "e";',
      'export { f } from "@scope/f/sub";',
      'const g = await import("g");',
      'const text = "not from here";',
    ].join("\n");
    expect(importsOf(code).sort()).toEqual(["./b.js", "@scope/f/sub", "a", "c", "d", "e", "g"]);
    expect(packageOf("@scope/f/sub")).toBe("@scope/f");
  });

  test("finds the sources of every workspace", () => {
    expect(workspaces.filter(({ sources }) => sources.length === 0)).toEqual([]);
  });

  test("knows the file that each relative import leads to", () => {
    const lost = workspaces.flatMap(({ sources }) =>
      accuse(sources, (specifier, source) => isRelative(specifier) && !exists(targetOf(source, specifier))),
    );
    expect(lost).toEqual([]);
  });
});

describe.each(workspaces)("$folder", ({ folder, manifest, sources }) => {
  const allowed = allowedImports[folder];

  test("imports in the allowed directions only", () => {
    expect(Object.keys(allowedImports)).toContain(folder);
    const wrong = accuse(sources, (specifier) => {
      if (isRelative(specifier) || isBuiltin(specifier) || isConsoleAlias(specifier)) {
        return false;
      }
      const name = packageOf(specifier);
      const fromRegistry = !workspaces.some((workspace) => workspace.manifest.name === name);
      return !(allowed?.includes(name) || (fromRegistry && judgedByManifest.includes(folder)));
    });
    expect(wrong).toEqual([]);
  });

  test("imports only what its package.json names, and Node's modules by their prefix", () => {
    const named = { ...manifest.dependencies, ...manifest.peerDependencies };
    const known =
      folder === "tools" || manifest.private === true ? { ...named, ...manifest.devDependencies } : named;
    const wrong = accuse(
      sources,
      (specifier) =>
        !isRelative(specifier) &&
        !isBuiltin(specifier) &&
        !isConsoleAlias(specifier) &&
        !(packageOf(specifier) in known) &&
        packageOf(specifier) !== "vitest",
    );
    expect(wrong).toEqual([]);
  });

  test("never reaches into another workspace by a path", () => {
    const wrong = accuse(
      sources.filter(({ path }) => path !== unpublishedParts),
      (specifier, source) => isRelative(specifier) && !targetOf(source, specifier).startsWith(`${folder}/`),
    );
    expect(wrong).toEqual([]);
  });

  test("has no circle of files, types included", () => {
    expect(findCircles(sources)).toEqual([]);
  });

  test("gives files names that say what is inside", () => {
    const files = ["src", "test"].flatMap((part) =>
      [".ts", ".tsx"].flatMap((ending) => filesBelow(join(folder, part), ending)),
    );
    const parts = new Set(files.flatMap((file) => file.split("/")));
    expect([...parts].filter((part) => emptyNames.test(part))).toEqual([]);
  });

  test("opens with a README", () => {
    expect(exists(join(folder, "README.md"))).toBe(true);
  });
});

/** What services and their tests are built with. */
const sdk = libraries.filter(({ folder }) => !/client$|cli$/.test(folder));

test.each([...sdk, ...(adminConsole ? [adminConsole] : [])])(
  "$folder has no circle of folders",
  ({ sources }) => {
    expect(findCircles(sources, folderOf)).toEqual([]);
  },
);

describe("the environment of the process", () => {
  test("is read in config.ts and main.ts only", () => {
    const places = workspaces
      .filter(({ folder }) => folder !== "tools" && folder !== "benchmarks")
      .flatMap(({ sources }) => sources)
      .filter(({ code, path }) => /\bprocess\s*\.\s*env\b/.test(code) && !environmentReaders.test(path));
    expect(places.map(({ path }) => path)).toEqual([]);
  });
});

describe("the console", () => {
  test("takes types, and nothing that runs, from the server", () => {
    const statement = /^import\s+(?!type\b)[^;]*?from\s+"@(?:admin|text)/m;
    const wrong = adminConsole?.sources.filter(({ code }) => statement.test(code)).map(({ path }) => path);
    expect(wrong).toEqual([]);
  });
});

describe.each([
  { name: "the authorization server", workspace: server, order: serverRooms },
  { name: "the console", workspace: adminConsole, order: consoleRooms },
])("the rooms of $name", ({ workspace, order }) => {
  const sources = workspace?.sources ?? [];
  const roomOf = (place: string): string => place.split("/")[0] ?? place;

  test("are the listed ones and no others", () => {
    const rooms = new Set(sources.map(({ place }) => roomOf(place)));
    expect([...rooms].sort()).toEqual([...order].sort());
  });

  test("import each other in one direction only, types included", () => {
    const wrong = accuse(sources, (specifier, source) => {
      if (!isRelative(specifier)) return false;
      const target = roomOf(targetOf(source, specifier).replace(`${workspace?.folder}/src/`, ""));
      return order.indexOf(target) > order.indexOf(roomOf(source.place));
    });
    expect(wrong).toEqual([]);
  });
});

describe("the authorization server", () => {
  const sources = server?.sources ?? [];

  test.each(serverLibraries)("knows $name only where it belongs", ({ matches, allowedIn }) => {
    const wrong = accuse(
      sources,
      (specifier, source) =>
        !isRelative(specifier) && matches.test(packageOf(specifier)) && !allowedIn.test(source.place),
    );
    expect(wrong).toEqual([]);
  });

  test.each(pureFolders)("keeps %s/ free of HTTP and SQL", (folder) => {
    const wrong = accuse(
      sources.filter(({ place }) => place.startsWith(`${folder}/`)),
      (specifier, source) => isRelative(specifier) && impureTargets.test(targetOf(source, specifier)),
    );
    expect(wrong).toEqual([]);
  });

  test("sees types and methods of the store; its connections and what makes it only where everything is wired", () => {
    const outside = sources.filter(({ place }) => !place.startsWith("store/") && place !== "server.ts");
    const connections = accuse(
      outside,
      (specifier, source) =>
        isRelative(specifier) &&
        targetOf(source, specifier).startsWith("reference-server/src/store/postgres/"),
    );
    const makers = /import\s*\{[^}]*\b(?:create\w+Store|openStore)\b[^}]*\}\s*from\s*"[^"]*\/store\/[^"]*"/;
    expect([
      ...connections,
      ...outside.filter(({ code }) => makers.test(code)).map(({ path }) => path),
    ]).toEqual([]);
  });

  test("explains every room", () => {
    const rooms = serverRooms.filter((room) => !room.endsWith(".ts"));
    expect(rooms.filter((room) => !exists(`reference-server/src/${room}/README.md`))).toEqual([]);
  });
});

describe.each(libraries)("$manifest.name", ({ folder, manifest }) => {
  test("exports files that exist, the sources for this repository and the build for all others", () => {
    const targets = Object.entries(manifest.exports ?? {}).filter(([path]) => path !== "./package.json");
    expect(targets.length > 0 || manifest.bin !== undefined).toBe(true);
    for (const [, target] of targets) {
      const { "@authz/source": source, types, default: build } = target as Record<string, string>;
      expect(exists(join(folder, source ?? "missing"))).toBe(true);
      const built = source?.replace(/^\.\/src\//, "./dist/").replace(/\.ts$/, "");
      expect({ types, build }).toEqual({ types: `${built}.d.ts`, build: `${built}.js` });
    }
  });
});

describe("commands", () => {
  const commands = workspaces.flatMap(({ folder, manifest }) =>
    Object.entries(manifest.bin ?? {}).map(([name, file]) => ({ name, file: join(folder, file) })),
  );

  test.each(commands)("$name can be run", ({ file }) => {
    const path = join(root, file);
    expect(readFileSync(path, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
    expect(statSync(path).mode & 0o111).toBe(0o111);
  });

  test("are all there", () => {
    expect(commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["authz", "authz-server", "authz-migrate"]),
    );
  });
});

test("file names are kebab-case", () => {
  const wrong = workspaces
    .flatMap(({ sources }) => sources)
    .filter(({ path }) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)*\.tsx?$/.test(nameOf(path)));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});
