import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** The repository's root. */
export const root: string = join(import.meta.dirname, "../..");

/** Runs a command and returns what it printed; a failure carries its whole output. */
export async function run(
  command: string,
  parameters: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const options = { cwd, env, maxBuffer: 16 * 1024 * 1024 };
  try {
    return (await promisify(execFile)(command, parameters, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${parameters.join(" ")} failed.\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Runs one of the repository's development tools. */
export function runTool(name: string, parameters: readonly string[], cwd: string = root): Promise<string> {
  return run(join(root, "node_modules/.bin", name), parameters, cwd);
}

/** One package as it would be published. */
export interface PackedPackage {
  readonly name: string;
  readonly tarball: string;
  readonly packedBytes: number;
  readonly files: readonly string[];
}

/** Builds and packs packages, named by their folders. */
export async function packPackages(
  destination: string,
  folders: readonly string[],
): Promise<PackedPackage[]> {
  await runTool("tsc", ["-b", ...folders]);
  const workspaces = folders.flatMap((folder) => ["-w", folder]);
  const output = await run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", destination, ...workspaces],
    root,
  );
  const packed = JSON.parse(output) as {
    name: string;
    filename: string;
    size: number;
    files: { path: string }[];
  }[];
  return packed.map(({ name, filename, size, files }) => ({
    name,
    tarball: join(destination, filename),
    packedBytes: size,
    files: files.map(({ path }) => path),
  }));
}

/** The folders of all packages that are meant to be published. */
export async function publishedFolders(): Promise<string[]> {
  const packages = (await readdir(join(root, "packages"))).map((name) => `packages/${name}`);
  const folders: string[] = [];
  for (const folder of [...packages, "reference-server"]) {
    const manifest = await readFile(join(root, folder, "package.json"), "utf8").catch(() => undefined);
    if (manifest === undefined) continue;
    if ((JSON.parse(manifest) as { private?: boolean }).private !== true) folders.push(folder);
  }
  return folders;
}
