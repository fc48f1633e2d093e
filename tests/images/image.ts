/** An image without Docker: its root folder, and its Dockerfile for the rest. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildImageRoot } from "../../tools/src/image-root/build-image-root.js";
import { type ImageContents, type ImageName, images } from "../../tools/src/image-root/images.js";

export const repository = fileURLToPath(new URL("../..", import.meta.url));

type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** A process as a container would run it: not root, nothing writable, no environment but the given one. */
export interface Container {
  /** Lines of standard output that are JSON. */
  readonly log: readonly LogLine[];
  /** Everything it printed. */
  readonly output: () => string;
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves with the first line of the log that says this, or rejects when the process ends without it. */
  until(message: string): Promise<LogLine>;
}

export interface TestImage {
  readonly root: string;
  readonly dockerfile: Dockerfile;
  /** Runs the entry point, or another command that is linked into `bin/`. */
  run(env: Readonly<Record<string, string>>, command?: readonly string[]): Container;
  remove(): void;
}

/** What a Dockerfile declares beside the contents. */
export interface Dockerfile {
  readonly text: string;
  readonly entrypoint: readonly string[];
  readonly user: string;
  /** What the health check runs, or undefined. */
  readonly healthCheck: readonly string[] | undefined;
}

export function readDockerfile(image: ImageContents): Dockerfile {
  const text = readFileSync(join(repository, image.workspace, "Dockerfile"), "utf8");
  const read = (pattern: RegExp) => pattern.exec(text)?.[1];
  const healthCheck = read(/^HEALTHCHECK [^[]*CMD (\[.*\])$/m);
  return {
    text,
    entrypoint: JSON.parse(read(/^ENTRYPOINT (\[.*\])$/m) ?? "[]") as string[],
    user: read(/^USER (.*)$/m) ?? "root",
    healthCheck: healthCheck === undefined ? undefined : (JSON.parse(healthCheck) as string[]),
  };
}

export function buildTestImage(name: ImageName): TestImage {
  const image = images[name];
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "authz-image-"));
  const root = join(folder, "app");
  buildImageRoot({ repository, image, target: root });
  chmodSync(folder, 0o755);
  makeReadOnly(root);
  const dockerfile = readDockerfile(image);
  const children: ChildProcess[] = [];
  return {
    root,
    dockerfile,
    run(env, command = dockerfile.entrypoint) {
      const child = spawn(...commandLine(root, command), {
        cwd: root,
        env: { NODE_ENV: "production", PATH: `${join(root, "bin")}:${dirname(process.execPath)}`, ...env },
        stdio: ["ignore", "pipe", "pipe"],
        ...notRoot(dockerfile.user),
      });
      children.push(child);
      return watch(child);
    },
    remove() {
      for (const child of children) child.kill("SIGKILL");
      makeWritable(folder);
      rmSync(folder, { recursive: true });
    },
  };
}

/** `node` is the Node that runs the tests; everything else is looked up in the image. */
function commandLine(root: string, [program = "", ...args]: readonly string[]): [string, string[]] {
  return program === "node" ? [process.execPath, args] : [join(root, "bin", program), args];
}

/** As root the tests become the image's user; otherwise they are somebody else than root already. */
function notRoot(user: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0 || !isReachableForAll(process.execPath)) return {};
  const [uid, gid] = user.split(":").map(Number);
  return uid === undefined || gid === undefined ? {} : { uid, gid };
}

function isReachableForAll(path: string): boolean {
  const allowed = (statSync(path).mode & 0o001) !== 0;
  return allowed && (path === "/" || isReachableForAll(dirname(path)));
}

function watch(child: ChildProcess): Container {
  if (child.stdout === null || child.stderr === null) throw new Error("The process has no output.");
  const log: LogLine[] = [];
  let output = "";
  const lines = createInterface(child.stdout);
  lines.on("line", (line) => {
    output += `${line}\n`;
    if (line.startsWith("{")) log.push(JSON.parse(line) as LogLine);
  });
  child.stderr.on("data", (text) => (output += String(text)));
  const exited = once(child, "close").then(([code]) => code as number | null);
  return {
    log,
    output: () => output,
    exited,
    kill: (signal) => child.kill(signal),
    async until(message) {
      const find = () => log.find(({ msg }) => msg.includes(message));
      for (let line = find(); ; line = find()) {
        if (line !== undefined) return line;
        const ended = await Promise.race([once(lines, "line"), exited.then(() => "ended" as const)]);
        if (ended === "ended") throw new Error(`The process ended without "${message}":\n${output}`);
      }
    },
  };
}

/** Every file and folder below, symbolic links left alone. */
export function everythingIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
}

function makeReadOnly(folder: string): void {
  for (const path of [...everythingIn(folder), folder]) changeMode(path, (mode) => mode & ~0o222);
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const { name, parentPath } of readdirSync(folder, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )) {
    makeWritable(join(parentPath, name));
  }
}

function changeMode(path: string, change: (mode: number) => number): void {
  const { mode } = lstatSync(path);
  if (!lstatSync(path).isSymbolicLink()) chmodSync(path, change(mode));
}
