import { type ChildProcess, spawn } from "node:child_process";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

/** What one run of a program took, in milliseconds. */
export interface ProcessCost {
  /** CPU time of the process and of what it started and waited for, from its start to its end. */
  readonly cpu: number;
  /** Until it ended, or until it had answered. */
  readonly wall: number;
}

/** Runs a program to its end, without its output. */
export async function processCost(command: readonly string[], env: NodeJS.ProcessEnv): Promise<ProcessCost> {
  const child = timed(">/dev/null", command, env);
  child.stdin?.end();
  return await costOf(command, child);
}

/** Asks an MCP server for its tools as soon as it is started, and ends it with the answer, which is what `wall` counts to. */
export async function toolsCost(command: readonly string[], env: NodeJS.ProcessEnv): Promise<ProcessCost> {
  const started = performance.now();
  const child = timed("", command, env);
  child.stdin?.write(`${asking.map((message) => JSON.stringify(message)).join("\n")}\n`);
  let answered = Number.NaN;
  if (child.stdout !== null)
    createInterface(child.stdout).on("line", (line) => {
      const { id, result } = JSON.parse(line) as { id?: number; result?: { tools?: readonly unknown[] } };
      if (id !== toolsId) return;
      if ((result?.tools ?? []).length > 0) answered = performance.now();
      child.stdin?.end();
    });
  const cost = await costOf(command, child);
  if (Number.isNaN(answered)) throw new Error(`${command.join(" ")} has listed no tools.`);
  return { ...cost, wall: answered - started };
}

const toolsId = 2;
const asking = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "benchmark", version: "1" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: toolsId, method: "tools/list" },
];

/** The shell's `time` measures the CPU time of a program, which Node cannot. */
function timed(redirection: string, command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const script = `TIMEFORMAT='%3R %3U %3S'; time "$@" ${redirection} 2>/dev/null; exit $?`;
  return spawn("bash", ["-c", script, "bash", ...command], { env, stdio: "pipe" });
}

async function costOf(command: readonly string[], child: ChildProcess): Promise<ProcessCost> {
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const written = child.stderr === null ? "" : await text(child.stderr);
  const code = await ended;
  if (code !== 0) throw new Error(`${command.join(" ")} ended with exit code ${String(code)}.`);
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = written
    .trim()
    .split(" ")
    .map((seconds) => Number(seconds.replace(",", ".")) * 1000);
  return { cpu: user + system, wall };
}
