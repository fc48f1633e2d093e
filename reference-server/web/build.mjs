/**
 * Builds the console into dist/, with a Brotli and a gzip copy of every text file. Does nothing when the sources are
 * those of the last build. `--sizes` prints what everything weighs.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const folder = fileURLToPath(new URL(".", import.meta.url));
const dist = join(folder, "dist");
const inputs = [
  "src",
  "../locales",
  "public",
  "index.html",
  "vite.config.ts",
  "compile-texts.ts",
  "component-styles.ts",
  "theme-variables.ts",
  "preloads.mjs",
  "package.json",
  "build.mjs",
];

const stamp = hashInputs();
if (readStamp() !== stamp) {
  // A test that starts the build has another value, and React would be its development build.
  process.env.NODE_ENV = "production";
  const { build } = await import("vite");
  // Beside the old one first: a server that runs, and a build at the same time, never see half of one.
  const outDir = join(folder, "node_modules", `.build-${process.pid}`);
  await build({
    root: folder,
    configFile: join(folder, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir, emptyOutDir: true },
  });
  const { writePreloads } = await import("./preloads.mjs");
  writePreloads(folder, outDir);
  await compress(outDir);
  writeFileSync(join(outDir, ".sources"), stamp);
  replaceDist(outDir);
}
if (process.argv.includes("--sizes")) await import("./sizes.mjs");

function hashInputs() {
  const hash = createHash("sha256");
  for (const input of inputs) {
    for (const path of filesOf(join(folder, input))) {
      hash.update(relative(folder, path)).update("\0").update(readFileSync(path)).update("\0");
    }
  }
  // Installed versions count as well, because a new library version changes the console.
  hash.update(readFileSync(join(folder, "../../package-lock.json")));
  return hash.digest("hex");
}

function filesOf(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function replaceDist(outDir) {
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(outDir, dist);
  } catch (error) {
    rmSync(outDir, { recursive: true, force: true });
    // Another build of the same sources was faster.
    if (readStamp() !== stamp) throw error;
  }
}

function readStamp() {
  try {
    return readFileSync(join(dist, ".sources"), "utf8");
  } catch {
    return undefined;
  }
}

async function compress(outDir) {
  const texts = filesOf(outDir).filter((path) => /\.(?:js|css|svg|html|json)$/.test(path));
  await Promise.all(
    texts.map(async (path) => {
      const content = readFileSync(path);
      const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(content, quality));
      writeFileSync(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
    }),
  );
}
