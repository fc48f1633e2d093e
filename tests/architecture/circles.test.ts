import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { isRelative, readWorkspaces, targetOf, type Workspace } from "./read-workspace.js";

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** What services and their tests are built with. */
const sdk = readWorkspaces().filter(({ folder }) => /^packages\/(?!client$|cli$)/.test(folder));

/** What imports what inside a package, types included; `groupOf` says what counts as one. */
function graphOf({ sources }: Workspace, groupOf: (path: string) => string): Graph {
  const graph = new Map<string, Set<string>>();
  for (const source of sources) {
    const from = groupOf(source.path);
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const specifier of source.imports.filter(isRelative)) {
      const to = groupOf(targetOf(source, specifier));
      if (to !== from) targets.add(to);
    }
  }
  return graph;
}

/** One way through the graph that comes back to where it began; empty when there is none. */
function findCircle(graph: Graph): readonly string[] {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): readonly string[] => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return [];
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node]);
      if (circle.length > 0) return circle;
    }
    done.add(node);
    return [];
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

describe.each(sdk)("$folder has no circle", (library) => {
  test("of files", () => {
    expect(findCircle(graphOf(library, (path) => path))).toEqual([]);
  });

  test("of folders", () => {
    const src = `${library.folder}/src`;
    // Files that lie in `src` itself are the words and the wiring of the package, each on its own.
    const folderOf = (path: string): string => (dirname(path) === src ? path : dirname(path));
    expect(findCircle(graphOf(library, folderOf))).toEqual([]);
  });
});
