import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";

const web = fileURLToPath(new URL("../../", import.meta.url));

export type BuiltTexts = typeof import("../../src/text/text");

/** Builds the console's text module with a folder of catalogues, as the console's build does, and imports it. */
export async function buildTexts(locales: string): Promise<BuiltTexts> {
  // A workspace without own packages has no such folder yet.
  const packages = join(web, "node_modules");
  await mkdir(packages, { recursive: true });
  const outDir = await mkdtemp(join(packages, ".texts-"));
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
          entry: { text: join(web, "src/text/text.ts") },
          formats: ["es"],
        },
        rollupOptions: { external: ["react"] },
      },
    });
    const text = (await import(pathToFileURL(join(outDir, "text.js")).href)) as BuiltTexts;
    // Catalogues are loaded on demand.
    await text.loadTexts(["parts", "keys"]);
    for (const language of text.languages) await text.setLanguage(language);
    return text;
  } finally {
    await rm(outDir, { recursive: true });
  }
}
