/** `node tools/run.mjs PROGRAM …`: runs a program of node_modules/.bin, with everything installed that `npm start` leaves out. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { ensureInstalled, root } from "./bootstrap.mjs";

const [name = "", ...args] = process.argv.slice(2);
await ensureInstalled();
const child = spawn(join(root, "node_modules", ".bin", name), args, { cwd: root, stdio: "inherit" });
child.on("error", (error) => {
  process.stderr.write(`${name}: ${error.message}\n`);
  process.exitCode = 1;
});
child.on("close", (code) => {
  process.exitCode = code ?? 1;
});
