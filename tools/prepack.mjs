/**
 * Runs in a package before it is packed: compiles it, and removes what an older build left in `dist`, so that no file
 * without a source is published. The folder stays usable all the while, because other programs may be running from it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const compiler = fileURLToPath(new URL("../node_modules/.bin/tsc", import.meta.url));
process.exitCode = spawnSync(compiler, ["-b"], { stdio: "inherit" }).status ?? 1;

for (const name of readdirSync("dist", { recursive: true })) {
  const source = join("src", name.replace(/(?:\.d\.ts|\.js)(?:\.map)?$/, ".ts"));
  if (!existsSync(source) && statSync(join("dist", name), { throwIfNoEntry: false })?.isFile()) {
    rmSync(join("dist", name));
  }
}
