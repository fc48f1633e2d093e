/** Prints what a package costs: bytes to download, bytes on disk, files, and the CPU time to import it, net of Node. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const rounds = 15;

const packages = publishedPackages();
const times = importTimes();
const rows = packages.map(({ folder, name }, index) => {
  const [{ size, unpackedSize, entryCount }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: folder }),
  );
  return [name, kilobytes(size), kilobytes(unpackedSize), `${entryCount}`, `${times[index].toFixed(1)} ms`];
});
print([["", "packed", "unpacked", "files", `import, CPU (best of ${rounds})`], ...rows]);

function publishedPackages() {
  return readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
    .filter(({ private: isPrivate }) => isPrivate !== true);
}

/** The best of several fresh processes, in turns: other load can only make one slower. */
function importTimes() {
  const best = packages.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { folder, name }] of packages.entries()) {
      best[index] = Math.min(best[index], importTime(folder, name));
    }
  }
  return best;
}

function importTime(folder, name) {
  const script = `const start = process.cpuUsage(); await import("${name}"); const { user, system } = process.cpuUsage(start); console.log((user + system) / 1000)`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder }));
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

function print(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    );
    console.log(cells.join("  "));
  }
}
