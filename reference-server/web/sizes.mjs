/**
 * Prints the console's compressed sizes: JavaScript and styles of the first page, and of each part loaded later. `--json`
 * prints the sums of the heaviest first page only.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("dist/", import.meta.url));
const page = readFileSync(join(dist, "index.html"), "utf8");
const screens = JSON.parse(readFileSync(join(dist, "preloads.json"), "utf8"));

const inPage = [...page.matchAll(/"\/admin\/(assets\/[^"]+)"/g)].map(([, file]) => file);
const scripts = inPage.filter((file) => file.endsWith(".js"));
const texts = screens.map((screen) => longest(screen.texts));

/** For each screen as the first one: the files in the page, the screen, and their texts in the language with the longest ones. */
const firstPages = screens
  .map((screen, index) => ({
    screen: screen.path,
    scripts: sizeOf([...scripts, ...screen.scripts, ...texts[index]]),
  }))
  .sort((a, b) => b.scripts.gzip - a.scripts.gzip);
const [heaviest] = firstPages;
const everywhere = texts[0].filter((file) => texts.every((files) => files.includes(file)));
const withoutScreen = sizeOf([...scripts, ...everywhere]);
const styles = sizeOf(inPage.filter((file) => file.endsWith(".css")));

if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ shell: withoutScreen, heaviest, styles }));
} else {
  const manifest = JSON.parse(readFileSync(join(dist, ".vite", "manifest.json"), "utf8"));
  const later = Object.entries(manifest)
    .filter(([, { file }]) => file.endsWith(".js") && !scripts.includes(file))
    .map(([name, { file }]) => [`  later: ${name}`, sizeOf([file])])
    .sort(([, a], [, b]) => b.gzip - a.gzip);
  print([
    ["First page, JavaScript without a screen", withoutScreen],
    [`First page, JavaScript with ${heaviest.screen}`, heaviest.scripts],
    ["First page, styles", styles],
    ...later,
  ]);
}

/** The texts of the language with the longest ones. */
function longest(files) {
  return Object.values(files).reduce((most, next) => (sizeOf(next).gzip > sizeOf(most).gzip ? next : most));
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
