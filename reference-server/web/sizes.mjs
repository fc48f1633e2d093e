/** Prints what the console costs: compressed JavaScript and styles of the first page, and of each part loaded later. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("dist/", import.meta.url));

/** Bytes of the first page: the entry, what it imports, and its styles; gzip and Brotli. */
export function measureFirstPage() {
  const manifest = JSON.parse(readFileSync(join(dist, ".vite", "manifest.json"), "utf8"));
  const entry = Object.keys(manifest).find((name) => manifest[name].isEntry);
  const first = new Set();
  const visit = (name) => {
    if (first.has(name)) return;
    first.add(name);
    for (const next of manifest[name].imports ?? []) visit(next);
  };
  visit(entry);
  const scripts = [...first].map((name) => manifest[name].file);
  const styles = [...first].flatMap((name) => manifest[name].css ?? []);
  const later = Object.entries(manifest)
    .filter(([name, { file }]) => !first.has(name) && file.endsWith(".js"))
    .map(([name, { file }]) => ({ name, ...sizeOf([file]) }));
  return { scripts: sizeOf(scripts), styles: sizeOf(styles), later };
}

function sizeOf(files) {
  const sum = (ending) =>
    files.reduce((total, file) => total + statSync(join(dist, `${file}${ending}`)).size, 0);
  return { plain: sum(""), gzip: sum(".gz"), brotli: sum(".br") };
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10);
const { scripts, styles, later } = measureFirstPage();
const rows = [
  ["First page, JavaScript", scripts],
  ["First page, styles", styles],
  ...later.sort((a, b) => b.gzip - a.gzip).map(({ name, ...size }) => [`  later: ${name}`, size]),
];
console.log(`${"".padEnd(60)}${["plain", "gzip", "Brotli"].map((title) => title.padStart(10)).join("")}`);
for (const [title, { plain, gzip, brotli }] of rows) {
  console.log(`${title.padEnd(60)}${kilobytes(plain)}${kilobytes(gzip)}${kilobytes(brotli)}`);
}
