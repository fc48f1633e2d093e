/** Runs in a package before it is packed: builds it from nothing, so that no file of an older build is published. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

for (const output of ["dist", "tsconfig.tsbuildinfo"]) rmSync(output, { recursive: true, force: true });
const compiler = fileURLToPath(new URL("../node_modules/.bin/tsc", import.meta.url));
process.exitCode = spawnSync(compiler, ["-b"], { stdio: "inherit" }).status ?? 1;
