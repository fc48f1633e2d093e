/**
 * `npm run test:reliability`: the long forms of the tests that kill, cut and block. Some half an hour; `npm run test:system` runs
 * their short forms. Extra arguments go to vitest.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { bootstrap, root } from "./bootstrap.mjs";

await bootstrap();

const { status } = spawnSync(
  join(root, "node_modules", ".bin", "vitest"),
  ["run", "reference-server/test/reliability", "--fileParallelism=false", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", env: { ...process.env, AUTHZ_RELIABILITY: "long" } },
);
process.exitCode = status ?? 1;
