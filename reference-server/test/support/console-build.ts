import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const web = fileURLToPath(new URL("../../web/", import.meta.url));
const run = promisify(execFile);

/** Builds the console unless it is built already from the same sources. */
export async function buildConsole(): Promise<void> {
  await run(process.execPath, ["build.mjs"], { cwd: web });
}

interface Size {
  readonly gzip: number;
  readonly brotli: number;
}

/** Bytes of what a browser loads before it can show a screen: without one, and with the heaviest. */
export async function measureConsole(): Promise<{
  readonly shell: Size;
  readonly heaviest: { readonly screen: string; readonly scripts: Size };
}> {
  const { stdout } = await run(process.execPath, ["sizes.mjs", "--json"], { cwd: web });
  return JSON.parse(stdout) as Awaited<ReturnType<typeof measureConsole>>;
}
