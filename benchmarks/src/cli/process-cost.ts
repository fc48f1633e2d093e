import { spawn } from "node:child_process";

/** What one run of a program took, in milliseconds. */
export interface ProcessCost {
  /** CPU time of the process and of what it started and waited for. */
  readonly cpu: number;
  readonly wall: number;
}

/** Runs a program to its end, without its output. The shell's `time` tells its CPU time, which Node cannot. */
export async function processCost(command: readonly string[], env: NodeJS.ProcessEnv): Promise<ProcessCost> {
  const script = "TIMEFORMAT='%3R %3U %3S'; time \"$@\" >/dev/null 2>/dev/null";
  const child = spawn("bash", ["-c", `${script}; exit $?`, "bash", ...command], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let written = "";
  child.stderr.on("data", (chunk) => {
    written += String(chunk);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`${command.join(" ")} ended with exit code ${String(code)}.`);
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = written
    .trim()
    .split(" ")
    .map((seconds) => Number(seconds.replace(",", ".")) * 1000);
  return { cpu: user + system, wall };
}
