/**
 * Prints what the console costs: compressed JavaScript and styles of the page that somebody opens first, and of each part
 * loaded later. `--json` prints the sums of the heaviest first page only.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("dist/", import.meta.url));
const manifest = JSON.parse(readFileSync(join(dist, ".vite", "manifest.json"), "utf8"));
const entry = Object.keys(manifest).find((name) => manifest[name].isEntry);
const shell = reachable([entry]);
/** What the router loads; a chart that a screen loads when it is there already is no part of the first page. */
const screens = shell
  .flatMap((name) => manifest[name].dynamicImports ?? [])
  .filter((name) => name.startsWith("src/screens/") || name.startsWith("_"));

/** Whatever screen comes first: the entry, the screen, and what both import at once. */
const firstPages = screens
  .map((screen) => ({ screen, scripts: sizeOf(filesOf(reachable([entry, screen]))) }))
  .sort((a, b) => b.scripts.gzip - a.scripts.gzip);
const [heaviest] = firstPages;
const styles = sizeOf(shell.flatMap((name) => manifest[name].css ?? []));

if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ heaviest, styles }));
} else {
  const later = Object.keys(manifest)
    .filter((name) => !shell.includes(name) && manifest[name].file.endsWith(".js"))
    .map((name) => [`  later: ${name}`, sizeOf([manifest[name].file])])
    .sort(([, a], [, b]) => b.gzip - a.gzip);
  print([
    ["First page, JavaScript without a screen", sizeOf(filesOf(shell))],
    [`First page, JavaScript with ${heaviest.screen}`, heaviest.scripts],
    ["First page, styles", styles],
    ...later,
  ]);
}

function reachable(names) {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const next of manifest[name].imports ?? []) visit(next);
  };
  for (const name of names) visit(name);
  return [...found];
}

function filesOf(names) {
  return names.map((name) => manifest[name].file);
}

function sizeOf(files) {
  const sum = (ending) =>
    files.reduce((total, file) => total + statSync(join(dist, `${file}${ending}`)).size, 0);
  return { plain: sum(""), gzip: sum(".gz"), brotli: sum(".br") };
}

function print(rows) {
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10);
  console.log(`${"".padEnd(72)}${["plain", "gzip", "Brotli"].map((title) => title.padStart(10)).join("")}`);
  for (const [title, { plain, gzip, brotli }] of rows) {
    console.log(`${title.padEnd(72)}${kilobytes(plain)}${kilobytes(gzip)}${kilobytes(brotli)}`);
  }
}
