/**
 * Builds `authz` for this platform as one file that needs no Node: `dist/program/authz`, with the licences beside it. It is the Node that
 * runs this (a single executable application of it, from nodejs.org), so the platform is that of the build.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { build } from "esbuild";
import { here, licenses, withoutUnused } from "./bundling.mjs";

const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const { platform, arch, version: nodeVersion } = process;
const folder = join(here, "dist", "program");
const program = join(folder, platform === "win32" ? "authz.exe" : "authz");
const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const bundled = await bundle(join(folder, "authz.cjs"));
const native = nativeKeyring();
assemble(native.module);
writeFileSync(join(folder, "LICENSES.txt"), allLicenses(bundled, native.folder));
for (const name of ["authz.cjs", "sea.json", "sea.blob"]) rmSync(join(folder, name));
const said = execFileSync(program, ["--version"], { encoding: "utf8", env: { PATH: "" } }).trim();
if (said !== version) throw new Error(`${program} says that it is ${said}, not ${version}.`);
process.stdout.write(`${program} ${version}, ${(statSync(program).size / 1e6).toFixed(1)} MB\n`);

/** One file with everything, because a program finds no others beside it. */
async function bundle(outfile) {
  const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: ["src/standalone/main.ts"],
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
    conditions: ["@authz/source"],
    alias: { "@napi-rs/keyring": "./src/standalone/keyring.ts" },
    plugins: [withoutUnused],
    // Without a path of its own, `open` uses the opener of the system.
    define: { "import.meta.url": '""', AUTHZ_VERSION: JSON.stringify(version) },
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    logLevel: "warning",
  });
  return Object.keys(metafile.inputs);
}

/** The module for this platform, as npm has chosen it. */
function nativeKeyring() {
  const libc = { linux: "-gnu", win32: "-msvc" }[platform] ?? "";
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("@napi-rs/keyring"));
  const module = resolve(`@napi-rs/keyring-${platform}-${arch}${libc}`);
  return { module, folder: dirname(module) };
}

function assemble(keyring) {
  const sea = {
    main: join(folder, "authz.cjs"),
    output: join(folder, "sea.blob"),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: { "keyring.node": keyring },
  };
  writeFileSync(join(folder, "sea.json"), JSON.stringify(sea));
  execFileSync(process.execPath, ["--experimental-sea-config", join(folder, "sea.json")], { stdio: "pipe" });
  copyFileSync(process.execPath, program);
  if (platform === "darwin") execFileSync("codesign", ["--remove-signature", program]);
  // It says much about sections of the file that it does not touch.
  const postject = createRequire(import.meta.url).resolve("postject/dist/cli.js");
  const injected = ["NODE_SEA_BLOB", sea.output, "--sentinel-fuse", fuse];
  const section = platform === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : [];
  execFileSync(process.execPath, [postject, program, ...injected, ...section], { stdio: "pipe" });
  // A Mac runs nothing that is not signed at all.
  if (platform === "darwin") execFileSync("codesign", ["--sign", "-", program]);
}

/** Of the bundle, the native module, and Node. */
function allLicenses(inputs, nativeFolder) {
  const line = `\n${"-".repeat(72)}\n\n`;
  const thirdParty = join(nativeFolder, "LICENSE.third-party.md");
  return [
    readFileSync(join(here, "LICENSE"), "utf8"),
    licenses([...inputs, "../../node_modules/@napi-rs/keyring/package.json"]),
    ...(existsSync(thirdParty) ? [readFileSync(thirdParty, "utf8")] : []),
    `Node.js ${nodeVersion}\n\n${licenseOfNode()}`,
  ].join(line);
}

function licenseOfNode() {
  const prefix = join(dirname(process.execPath), "..");
  const file = [join(prefix, "LICENSE"), join(dirname(process.execPath), "LICENSE")].find((path) =>
    existsSync(path),
  );
  return file === undefined
    ? `https://github.com/nodejs/node/blob/${nodeVersion}/LICENSE\n`
    : readFileSync(file, "utf8");
}
