/**
 * What only the console is built from: a third of what is installed, and needed once. It is removed afterwards.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const console = "reference-server/web";

/** Removes the packages that nothing but the console depends on. @param {string} root */
export function removeConsolePackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const path of packagesOnlyOf(packages, console)) {
    rmSync(join(root, path), { recursive: true, force: true });
  }
}

/**
 * The folders of the packages that this workspace depends on in production and no other one does.
 *
 * @param {Record<string, { link?: boolean, resolved?: string }>} packages - of package-lock.json
 * @param {string} workspace
 * @returns {string[]}
 */
export function packagesOnlyOf(packages, workspace) {
  const workspaces = Object.keys(packages).filter((path) => !/(?:^|\/)node_modules\//.test(path));
  const others = reachable(
    packages,
    workspaces.filter((path) => path !== workspace && path !== ""),
  );
  const own = reachable(packages, [workspace]);
  return [...own].filter((path) => path !== workspace && !others.has(path));
}

function reachable(packages, starts) {
  const found = new Set();
  const waiting = [...starts];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const entry = packages[path];
    if (entry.link) waiting.push(entry.resolved);
    const { dependencies, optionalDependencies, peerDependencies } = entry;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const target = resolve(packages, path, name);
      if (target !== undefined) waiting.push(target);
    }
  }
  return found;
}

/** Beside the one that asks, then further out, as Node does. */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in packages) return path;
    if (folder === "") return undefined;
  }
}
