/**
 * `npm run bench`: the measurements, one after the other. `npm run bench -- http` runs one of them; `--short` gives a
 * quick impression instead of figures to quote.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { bootstrap, fail, root } from "./bootstrap.mjs";

await bootstrap();

const folder = join(root, "benchmarks", "dist");
const all = readdirSync(folder).filter((name) => existsSync(join(folder, name, "main.js")));
const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith("--"));
const chosen = words.filter((word) => !word.startsWith("--"));
if (options.includes("--help")) {
  process.stdout.write(
    `npm run bench -- [names] [--short]\n\nThere are: ${all.join(", ")}. Without a name all of them run.\n`,
  );
  process.exit();
}
const unknown = chosen.find((name) => !all.includes(name));
if (unknown !== undefined) fail(`There is no benchmark "${unknown}".`, `There are: ${all.join(", ")}`);

for (const name of chosen.length > 0 ? chosen : all) {
  process.stdout.write(`\n== ${name}\n\n`);
  const { status } = spawnSync(process.execPath, [join(folder, name, "main.js"), ...options], {
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
