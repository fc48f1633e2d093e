import { readFileSync } from "node:fs";

/** Resident memory of a process at this moment; `undefined` where Linux does not say. */
export function residentBytes(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** The most that was seen while the work was under way. */
export async function peakWhile(
  pid: number | undefined,
  work: () => Promise<void>,
): Promise<number | undefined> {
  let peak = residentBytes(pid);
  const timer = setInterval(() => {
    const now = residentBytes(pid);
    if (peak !== undefined && now !== undefined) peak = Math.max(peak, now);
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}
