/**
 * Lists the first files of each screen, so that the server can name them in the page: browsers then load them together with
 * the console's code instead of after it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Catalogues that main.tsx loads before anything is shown. */
const shellTexts = /loadTexts\(\[(.*?)\]\)/;
const areaTexts = /texts: \[(.*?)\]/;
const screen = /path: "([^"]+)",\s*load: [^"]*import\("\.\/([\w-]+)"\)/g;

/**
 * @param web - the folder of the console
 * @param outDir - the folder of its build, with Vite's manifest
 */
export function writePreloads(web, outDir) {
  const manifest = JSON.parse(readFileSync(join(outDir, ".vite", "manifest.json"), "utf8"));
  const languages = JSON.parse(readFileSync(join(web, "../locales/languages.json"), "utf8"));
  const entry = Object.keys(manifest).find((name) => manifest[name].isEntry);
  const inPage = new Set(reachable([entry]));

  const read = (file) => readFileSync(join(web, "src", file), "utf8");
  const shell = namesIn(read("main.tsx"), shellTexts);
  const screens = readdirSync(join(web, "src/screens"))
    .filter((area) => existsSync(join(web, "src/screens", area, "area.ts")))
    .flatMap((area) => {
      const source = read(`screens/${area}/area.ts`);
      const texts = [...shell, ...namesIn(source, areaTexts)];
      return [...source.matchAll(screen)].map(([, path, module]) => {
        const names = reachable([`src/screens/${area}/${module}.tsx`]).filter((name) => !inPage.has(name));
        return {
          path,
          scripts: names.map((name) => manifest[name].file),
          styles: names.flatMap((name) => manifest[name].css ?? []),
          texts: Object.fromEntries(languages.map((language) => [language, catalogs(language, texts)])),
        };
      });
    });
  writeFileSync(join(outDir, "preloads.json"), JSON.stringify(screens));

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

  function catalogs(language, names) {
    return names.map((name) => {
      const files = ["console", "areas"].map((folder) => `../locales/${language}/${folder}/${name}.json`);
      return manifest[files.find((file) => file in manifest)].file;
    });
  }
}

/** The names of catalogs in a source file. */
function namesIn(source, pattern) {
  const [, names] = pattern.exec(source);
  return JSON.parse(`[${names}]`);
}
