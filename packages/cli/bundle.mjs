/**
 * Bundles the command into `dist/bundle`: a command loads one file instead of a hundred, which is most of what it costs to start.
 * CommonJS, because importing a module of Node reads all its exports, and from Node 22 some of those load all of `fetch` when they are
 * read. Runs after every build and before packing; nothing is written that is already there.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isAscii } from "node:buffer";
import files from "node:fs/promises";
import process from "node:process";
import { build } from "esbuild";
import { here, licenses, withoutUnused } from "./bundling.mjs";

const folder = join(here, "dist", "bundle");

const { outputFiles, metafile } = await build({
  absWorkingDir: here,
  entryPoints: {
    authz: "src/index.ts",
    // What loads the others.
    run: "bin/run.js",
    "check-update": "src/update/check-for-update.ts",
    // Only a sign-in needs it, and every command would read over it.
    oauth4webapi: "oauth4webapi",
    // Only `authz mcp` needs it, and it is larger than everything else together.
    "mcp-sdk": "src/mcp/sdk.ts",
  },
  outdir: folder,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20.19",
  conditions: ["@authz/source"],
  external: ["open", "jq-wasm"],
  plugins: [{ name: "parts", setup: keepParts }, withoutUnused],
  // createRequire, which is what asks for it, takes a path as well.
  define: { "import.meta.url": "__filename" },
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
  write: false,
});

mkdirSync(folder, { recursive: true });
const wanted = new Map(
  outputFiles.map(({ path, text }) => [
    basename(path),
    Buffer.from(basename(path) === "run.cjs" ? text : importingByLoader(text)),
  ]),
);
// What loads them counts on it.
for (const [name, contents] of wanted) if (!isAscii(contents)) throw new Error(`${name} is not ASCII.`);
wanted.set("LICENSES.txt", Buffer.from(licenses(Object.keys(metafile.inputs))));
for (const name of wanted.keys()) put(name);
for (const name of readdirSync(folder))
  if (!wanted.has(name) && !name.endsWith(".tmp")) rmSync(join(folder, name), { force: true });

function keepParts({ onResolve, onLoad }) {
  // A part of its own beside the bundle, loaded where it is used.
  // Only where there is no bundle.
  onResolve({ filter: /^\.\.\/dist\/index\.js$/ }, () => ({ external: true }));
  onResolve({ filter: /^oauth4webapi$/ }, ({ kind }) =>
    kind === "entry-point" ? undefined : { path: "./oauth4webapi.cjs", external: true },
  );
  onResolve({ filter: /[\\/]sdk\.js$/ }, ({ importer, kind }) =>
    kind !== "entry-point" && importer.startsWith(join(here, "src"))
      ? { path: "./mcp-sdk.cjs", external: true }
      : undefined,
  );
  // Native and installed beside us.
  onResolve({ filter: /^@napi-rs\/keyring$/ }, () => ({
    path: join(here, "src", "profile", "bundled-keyring.ts"),
  }));
  // A warm command only reads, and at once: what works in the background is loaded when it is first called.
  onResolve({ filter: /^node:fs\/promises$/ }, ({ path, namespace }) =>
    namespace === "later" ? { external: true } : { path, namespace: "later" },
  );
  onLoad({ filter: /.*/, namespace: "later" }, ({ path }) => ({ contents: callingLater(path, files) }));
}

/** The text of a module with the functions of another one, which it loads with the first call. */
function callingLater(path, exports) {
  const lines = Object.entries(exports).map(([name, value]) =>
    typeof value === "function"
      ? `exports.${name} = (...args) => require(${JSON.stringify(path)}).${name}(...args);`
      : `Object.defineProperty(exports, ${JSON.stringify(name)}, { get: () => require(${JSON.stringify(path)}).${name} });`,
  );
  return lines.join("\n");
}

/** Code that V8 has kept cannot import: what loads it does. */
function importingByLoader(text) {
  return text.replaceAll(/(?<![\w$.])import\((?=")/g, "require.import(");
}

/** Replaces a file in one step, when it says something else. */
function put(name) {
  const path = join(folder, name);
  const contents = wanted.get(name);
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  const partial = `${path}.${String(process.pid)}.tmp`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}
