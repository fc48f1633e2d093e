/**
 * Bundles the command into `dist/bundle`: a command loads two or three files instead of a hundred, which is most of what it costs to
 * start. Runs after every build and before packing; nothing is written that is already there.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "dist", "bundle");

const { outputFiles, metafile } = await build({
  absWorkingDir: here,
  entryPoints: { authz: "src/index.ts", "check-update": "src/update/check-for-update.ts" },
  outdir: folder,
  // Parts are named after what is in them, so that a command that runs meanwhile still finds its own.
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  conditions: ["@authz/source"],
  external: ["@napi-rs/keyring", "open"],
  minifySyntax: true,
  minifyWhitespace: true,
  banner: {
    js: 'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);',
  },
  metafile: true,
  write: false,
});

mkdirSync(folder, { recursive: true });
const wanted = new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
wanted.set("LICENSES.txt", Buffer.from(licenses(Object.keys(metafile.inputs))));
// The entries come last: they name the others.
const entries = ["authz.js", "check-update.js"];
for (const name of wanted.keys()) if (!entries.includes(name)) put(name);
for (const name of entries) put(name);
for (const name of readdirSync(folder))
  if (!wanted.has(name) && !name.endsWith(".tmp")) rmSync(join(folder, name), { force: true });

/** Replaces a file in one step, when it says something else. */
function put(name) {
  const path = join(folder, name);
  const contents = wanted.get(name);
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  const partial = `${path}.${String(process.pid)}.tmp`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}

/** The licences of the packages whose code is part of the bundle. */
function licenses(inputs) {
  const packages = new Set(
    inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]).filter(Boolean),
  );
  const texts = [...packages].map((path) => {
    const root = join(here, path);
    const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const file = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file.`);
    return `${name} ${version}\n\n${readFileSync(join(root, file), "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(72)}\n\n`);
}
