/**
 * Writes a new area of the administration, from the table to the screens: `npm run new-area -- notices notice`. An object in it
 * has a key and a text, for a start. What is generated from the code is written anew as well. CONTRIBUTING.md walks through the files.
 */
import { execFileSync } from "node:child_process";
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
  [`src/objects/${singular}.ts`]: "rules.ts",
  [`src/admin/${plural}/routes.ts`]: "routes.ts",
  [`web/src/screens/${plural}/area.ts`]: "area.ts",
  [`web/src/screens/${plural}/screens.tsx`]: "screens.tsx",
};
for (const language of JSON.parse(readServer("locales/languages.json"))) {
  const translated = `${language}.json`;
  // A language without a template begins with the English sentences.
  const template = existsSync(join(templates, `${translated}.txt`)) ? translated : "en.json";
  files[`locales/${language}/areas/${plural}.json`] = template;
}
const migrations = readdirSync(join(server, "migrations")).filter((name) => name.endsWith(".sql"));
const schema = `migrations/${migrations.sort().at(-1)}`;
/** What to put before the first match in a file; without a pattern, at its end. */
const lines = [
  [schema, undefined, readTemplate("schema.sql")],
  [
    "src/store/store.ts",
    /^$/m,
    'import { sampleNoticeRules } from "../objects/sample-notice.js";\nimport { createObjectStore, objectTable } from "./object-store.js";\n',
  ],
  [
    "src/store/store.ts",
    /(?<=^const factories = \{\n)/m,
    `  sampleNotices: (database: Database) =>
    createObjectStore(database, {
      table: objectTable("sample_notices", sampleNoticeRules),
      key: "key",
      sorts: { key: { sql: "o.key", type: "text" } },
    }),
`,
  ],
  ["src/admin/areas.ts", /^$/m, 'import { sampleNoticeArea } from "./sample-notices/routes.js";\n'],
  ["src/admin/areas.ts", /^ {2}settingsArea,$/m, "  sampleNoticeArea,\n"],
];
/** What tests write from the code: the types of the catalogs and pages of the documentation. */
const generating = [
  ["reference-server/test/text/catalogs.test.ts", "reference-server/test/admin/documentation.test.ts"],
  // From what the first have written.
  ["tests/docs/reference.test.ts"],
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
const paths = touched.map((path) => `reference-server/${path}`);
const run = (program, ...input) =>
  execFileSync(process.execPath, [join("node_modules", program), ...input], {
    stdio: ["ignore", "ignore", "inherit"],
  });
run("@biomejs/biome/bin/biome", "format", "--write", ...paths.filter((path) => !path.endsWith(".sql")));
for (const tests of generating) run("vitest/vitest.mjs", "run", "--project", "tests", ...tests, "--update");
console.log(paths.join("\n"));
console.log(
  `${paths.length} files, and what is generated from them. Next: whatever the object has beside a text.`,
);

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
