import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Installs the packages of the site's lock file, unless they are installed. */
export async function installPackages(folder) {
  const stampFile = join(folder, "node_modules", ".authz-installed");
  const stamp = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  await execute(folder, "npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {});
  writeFileSync(stampFile, stamp);
}

/** Runs a program of the site's packages. */
export function run(folder, program, args = [], environment = {}) {
  return execute(folder, join(folder, "node_modules", ".bin", program), args, environment);
}

function execute(cwd, command, args, environment) {
  return new Promise((resolve, reject) => {
    let output = "";
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, NODE_ENV: undefined, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(output.trim().split("\n").slice(-40).join("\n")));
    });
  });
}
