import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";

const web = fileURLToPath(new URL("../../", import.meta.url));

export interface BuiltTexts {
  readonly text: typeof import("../../src/text/text");
  readonly sentence: typeof import("../../src/screens/audit/sentence");
}

/** Builds what says the console's texts, as the console is built, from this folder of catalogues, and imports it. */
export async function buildTexts(locales: string): Promise<BuiltTexts> {
  const outDir = await mkdtemp(join(web, "node_modules", ".texts-"));
  try {
    await build({
      root: web,
      configFile: join(web, "vite.config.ts"),
      logLevel: "error",
      publicDir: false,
      resolve: { alias: { "@locales": locales } },
      build: {
        outDir,
        manifest: false,
        lib: {
          entry: {
            text: join(web, "src/text/text.ts"),
            sentence: join(web, "src/screens/audit/sentence.ts"),
          },
          formats: ["es"],
        },
        rollupOptions: { external: ["react"] },
      },
    });
    const load = (name: string): Promise<unknown> => import(pathToFileURL(join(outDir, `${name}.js`)).href);
    const text = (await load("text")) as BuiltTexts["text"];
    const sentence = (await load("sentence")) as BuiltTexts["sentence"];
    // Catalogues are files that are loaded later.
    await text.loadTexts(["shell", "parts", "keys", "audit", "audit-sentences"]);
    for (const language of text.languages) await text.setLanguage(language);
    return { text, sentence };
  } finally {
    await rm(outDir, { recursive: true });
  }
}
