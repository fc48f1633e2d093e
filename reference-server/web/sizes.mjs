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

/** What main.tsx loads before anything is shown. */
const shellTexts = textsIn("main.tsx", /loadTexts\(\[(.*?)\]\)/);

/** Whatever screen comes first: the entry, the screen, what both import at once, and their texts in the language that has the longest. */
const firstPages = screens
  .map((screen) => {
    const area = /^src\/screens\/(.+)\/[^/]+$/.exec(screen)?.[1];
    const texts = area === undefined ? [] : textsIn(`screens/${area}/area.ts`, /texts: \[(.*?)\]/);
    return {
      screen,
      scripts: sizeOf(filesOf([...reachable([entry, screen]), ...catalogues([...shellTexts, ...texts])])),
    };
  })
  .sort((a, b) => b.scripts.gzip - a.scripts.gzip);
const [heaviest] = firstPages;
const withoutScreen = sizeOf(filesOf([...shell, ...catalogues(shellTexts)]));
const styles = sizeOf(shell.flatMap((name) => manifest[name].css ?? []));

if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ shell: withoutScreen, heaviest, styles }));
} else {
  const later = Object.keys(manifest)
    .filter((name) => !shell.includes(name) && manifest[name].file.endsWith(".js"))
    .map((name) => [`  later: ${name}`, sizeOf([manifest[name].file])])
    .sort(([, a], [, b]) => b.gzip - a.gzip);
  print([
    ["First page, JavaScript without a screen", withoutScreen],
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

/** The names of catalogues in a source file. */
function textsIn(file, pattern) {
  const [, names] = pattern.exec(readFileSync(new URL(`src/${file}`, import.meta.url), "utf8"));
  return JSON.parse(`[${names}]`);
}

/** In the language that has the most to say. */
function catalogues(names) {
  return JSON.parse(readFileSync(new URL("../locales/languages.json", import.meta.url), "utf8"))
    .map((language) =>
      names.map((name) =>
        [`../locales/${language}/console/${name}.json`, `../locales/${language}/areas/${name}.json`].find(
          (file) => file in manifest,
        ),
      ),
    )
    .reduce((most, next) => (sizeOf(filesOf(next)).gzip > sizeOf(filesOf(most)).gzip ? next : most));
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
