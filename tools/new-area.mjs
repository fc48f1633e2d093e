/**
 * Writes a new area of the administration, from the table to the screens: `npm run new-area -- notices notice`. An object in it
 * has a key and a text, for a start. Nine files come from `new-area/`, five get their lines. CONTRIBUTING.md walks through them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const [plural, singular] = process.argv.slice(2);
if (![plural, singular].every((name) => /^[a-z]+(?:-[a-z]+)*$/.test(name ?? "")) || plural === singular) {
  console.error("npm run new-area -- <objects> <object>, in lower case with hyphens: notices notice");
  process.exit(1);
}

const templates = fileURLToPath(new URL("new-area/", import.meta.url));
const server = join(process.cwd(), "reference-server");
/** How the templates spell what they are about, and how the same is made of other words. */
const spellings = {
  "sample-notice": (words) => words.join("-"),
  sample_notice: (words) => words.join("_"),
  "sample notice": (words) => words.join(" "),
  "Sample notice": (words) => capital(words.join(" ")),
  sampleNotice: ([first, ...rest]) => [first, ...rest.map(capital)].join(""),
  SampleNotice: (words) => words.map(capital).join(""),
};

const files = {
  [`src/store/${plural}.ts`]: "store.ts",
  [`src/registry/${singular}.ts`]: "registry.ts",
  [`src/admin/${plural}/schemas.ts`]: "schemas.ts",
  [`src/admin/${plural}/routes.ts`]: "routes.ts",
  [`test/admin/${plural}.test.ts`]: "test.ts",
  [`web/src/screens/${plural}/area.ts`]: "area.ts",
  [`web/src/screens/${plural}/screens.tsx`]: "screens.tsx",
};
for (const language of JSON.parse(readServer("locales/languages.json"))) {
  files[`locales/${language}/areas/${plural}.json`] = language === "de" ? "de.json" : "en.json";
}
const migrations = readdirSync(join(server, "migrations")).filter((name) => name.endsWith(".sql"));
const schema = `migrations/${migrations.sort().at(-1)}`;
/** What to put before the first match in a file; without a pattern, at its end. */
const lines = [
  [schema, undefined, readTemplate("schema.sql")],
  ["src/store/store.ts", /^$/m, 'import { createSampleNoticeStore } from "./sample-notices.js";\n'],
  ["src/store/store.ts", /(?<=^const factories = \{\n)/m, "  sampleNotices: createSampleNoticeStore,\n"],
  ["src/admin/areas.ts", /^$/m, 'import { sampleNoticeArea } from "./sample-notices/routes.js";\n'],
  ["src/admin/areas.ts", /^ {2}settingsArea,$/m, "  sampleNoticeArea,\n"],
  ["src/audit/events.ts", /^ {2}"scope\.created"/m, readTemplate("events.ts")],
  [
    "src/text/area-catalogs.ts",
    /^$/m,
    'import type sampleNotices from "../../locales/en/areas/sample-notices.json";\n',
  ],
  ["src/text/area-catalogs.ts", /^\}$/m, '  readonly "sample-notices": typeof sampleNotices;\n'],
];

if (Object.keys(files).some((path) => existsSync(join(server, path)))) {
  console.error(`There are files of ${plural} already.`);
  process.exit(1);
}
for (const [path, template] of Object.entries(files)) write(path, readTemplate(template));
for (const [path, place, text] of lines) {
  const source = readServer(path);
  const at = place === undefined ? source.length : source.search(place);
  if (at < 0) throw new Error(`${path} has no place for what belongs there`);
  write(path, source.slice(0, at) + text + source.slice(at));
}
const touched = [...new Set([...Object.keys(files), ...lines.map(([path]) => path)])];
console.log(touched.map((path) => `reference-server/${path}`).join("\n"));
console.log(`${touched.length} files. Next: npm run format, and whatever the object has beside a text.`);

function readTemplate(name) {
  return readFileSync(join(templates, `${name}.txt`), "utf8");
}

function readServer(path) {
  return readFileSync(join(server, path), "utf8");
}

function write(path, text) {
  const file = join(server, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, rename(text));
}

/** Many before one: the plural of a word need not be the word with an s. */
function rename(text) {
  let renamed = text.replaceAll("a sample notice", /^[aeiou]/.test(singular) ? "an sample notice" : "$&");
  for (const [sample, spell] of Object.entries(spellings)) {
    renamed = renamed
      .replaceAll(`${sample}s`, spell(plural.split("-")))
      .replaceAll(sample, spell(singular.split("-")));
  }
  return renamed;
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}
