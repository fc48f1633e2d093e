import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listDocuments, readDocument } from "./pages.mjs";
import { run } from "./packages.mjs";

/**
 * Compiles the samples whose framework only the site installs (`ts website`). All others are compiled by `npm test`.
 *
 * @throws {Error} A sample does not compile; the message is the compiler's.
 */
export async function compileSamples(here) {
  const folder = join(here, "samples");
  rmSync(folder, { recursive: true, force: true });
  for (const path of listDocuments()) {
    const blocks = readDocument(path).matchAll(/^```ts website\n\/\/ (\S+)\n([^]*?)^```$/gm);
    for (const [, name, code] of blocks) {
      const file = join(folder, path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, code);
    }
  }
  const compilerOptions = {
    target: "es2023",
    module: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    customConditions: ["@authz/source"],
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  await run(here, "tsc", ["-p", folder]);
}
