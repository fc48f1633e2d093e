/**
 * Writes the JavaScript of every source that is newer than it, without looking at types: what runs needs them no more, and the compiler
 * is larger than what it compiles. Files are independent of each other, which the compiler's options see to. `npx tsc -b` checks.
 */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** @param {readonly string[]} folders - workspaces, with `src` and `dist` */
export async function transpile(folders) {
  await Promise.all(folders.map(transpileWorkspace));
}

async function transpileWorkspace(folder) {
  const sources = join(folder, "src");
  if (!existsSync(sources)) return;
  const entryPoints = readdirSync(sources, { recursive: true })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .filter((name) => isOlder(join(folder, "dist", name.replace(/\.ts$/, ".js")), join(sources, name)))
    .map((name) => join(sources, name));
  if (entryPoints.length === 0) return;
  // The compiler's record would vouch for an output that is no longer its own.
  rmSync(join(folder, "tsconfig.tsbuildinfo"), { force: true });
  await build({
    entryPoints,
    outbase: sources,
    outdir: join(folder, "dist"),
    format: "esm",
    platform: "node",
    target: "node20.19",
    sourcemap: true,
    logLevel: "silent",
    tsconfigRaw: { compilerOptions: { target: "es2023", verbatimModuleSyntax: true } },
  });
}

function isOlder(output, source) {
  const made = statSync(output, { throwIfNoEntry: false });
  return made === undefined || made.mtimeMs < statSync(source).mtimeMs;
}
