/** Runs the SDK's tests on another version of Node, whose binary comes from npm: `npm run test:node -- 24`. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [version, ...filters] = process.argv.slice(2);
if (!/^\d+(?:\.\d+){0,2}$/.test(version ?? "")) {
  console.error("Name a version of Node, such as 24: npm run test:node -- 24 [packages/verify]");
  process.exit(1);
}
const tests = filters.length === 0 ? ["packages"] : filters;
const vitest = ["node", "node_modules/vitest/vitest.mjs", "run", ...tests];
process.exitCode =
  spawnSync("npm", ["exec", "--yes", `--package=node@${version}`, "--", ...vitest], {
    cwd: root,
    stdio: "inherit",
  }).status ?? 1;
