/** What it takes to run on one machine: certificates, nginx, the proxy, a load generator. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Stoppable } from "../frame.js";

const root: string = fileURLToPath(new URL("../../..", import.meta.url));

/** Programs that come from the system, and the Debian package of each. */
const needed = { nginx: "nginx-light", openssl: "openssl", wrk: "wrk", taskset: "util-linux" };

/** What is not installed, as a sentence, or nothing. */
export function missingPrograms(): string | undefined {
  const missing = Object.entries(needed).filter(
    ([name]) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0,
  );
  if (missing.length === 0) return undefined;
  const names = missing.map(([name]) => name).join(", ");
  const packages = missing.map(([, name]) => name).join(" ");
  return `Skipped: ${names} missing. On Debian: apt-get install ${packages}`;
}

/** Starts a program on one core and waits until its port takes connections. */
export async function startOnCore(
  core: number,
  command: readonly string[],
  { port, env = {} }: { readonly port: number; readonly env?: NodeJS.ProcessEnv },
): Promise<Stoppable & { readonly process: ChildProcess }> {
  const child = spawn("taskset", ["-c", String(core), ...command], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null) throw new Error(`${command.join(" ")} ended with ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    process: child,
    async stop() {
      const closed = once(child, "close");
      child.kill("SIGTERM");
      await closed;
    },
  };
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const taken = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return taken;
}

/** The command of the image, with the Node that runs this. */
export function proxyCommand(): string[] {
  const { flags, script } = commandOfImage();
  return [process.execPath, ...flags, join(root, script)];
}

/** What `node:http` can do with the same options: one answer from memory for every request. */
export function bareCommand(): string[] {
  return [process.execPath, ...commandOfImage().flags, join(import.meta.dirname, "bare-process.js")];
}

function commandOfImage(): { readonly flags: readonly string[]; readonly script: string } {
  const dockerfile = readFileSync(join(root, "proxy/Dockerfile"), "utf8");
  const [, entry] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  if (entry === undefined) throw new Error("proxy/Dockerfile has no ENTRYPOINT as a list.");
  const [, ...flags] = JSON.parse(entry) as string[];
  const script = flags.pop() ?? "";
  return { flags, script };
}

export interface Usage {
  /** User and system time. */
  readonly cpuMicroseconds: number;
  /** The most memory so far, with the pages of the program's own file. */
  readonly peakBytes: number;
  /** Memory of its own, without those. */
  readonly privateBytes: number;
}

/** What these processes have used together. */
export function usageOf(pids: readonly number[]): Usage {
  let ticks = 0;
  let peakBytes = 0;
  let privateBytes = 0;
  for (const pid of pids) {
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const values = fields.split(" ");
    ticks += Number(values[11]) + Number(values[12]);
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const bytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
    peakBytes += bytes("VmHWM");
    privateBytes += bytes("RssAnon");
  }
  return { cpuMicroseconds: ticks * 10_000, peakBytes, privateBytes };
}

/** A process that taskset became, with its workers. */
export function withChildren(child: ChildProcess): number[] {
  const pid = child.pid ?? 0;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return [pid, ...children.filter((text) => text !== "").map(Number)];
}

export interface Load {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p99Milliseconds: number;
}

/** No answer may take longer than this. */
const timeoutSeconds = 10;

/**
 * Asks as fast as the answers come, on 64 connections of one thread.
 *
 * @throws {Error} An answer was not 200, was lost or was late: the figures would be about something else.
 */
export function generateLoad(core: number, url: string, seconds: number): Load {
  const options = ["-t1", "-c64", `-d${Math.ceil(seconds)}`, "--timeout", `${timeoutSeconds}s`, "--latency"];
  const output = execFileSync("taskset", ["-c", String(core), "wrk", ...options, url], { encoding: "utf8" });
  const read = (pattern: RegExp) => pattern.exec(output)?.[1] ?? "";
  refuseLosses(output);
  const [, value = "", unit = ""] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? [];
  return {
    requests: Number(read(/(\d+) requests in/)),
    requestsPerSecond: Number(read(/Requests\/sec:\s+([\d.]+)/)),
    p99Milliseconds: Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN),
  };
}

/** wrk counts an answer that came late among the errors of its sockets; that is another thing than none. */
function refuseLosses(output: string): void {
  const [, refused = "0"] = /Non-2xx or 3xx responses: (\d+)/.exec(output) ?? [];
  const [, connecting = "0", reading = "0", writing = "0", late = "0"] =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output) ?? [];
  const losses = {
    "answers that were not 200": Number(refused),
    "broken connections": Number(connecting) + Number(reading) + Number(writing),
    [`answers after more than ${timeoutSeconds} s`]: Number(late),
  };
  const found = Object.entries(losses).filter(([, count]) => count > 0);
  if (found.length === 0) return;
  throw new Error(`${found.map(([name, count]) => `${count} ${name}`).join(", ")}:\n${output}`);
}
