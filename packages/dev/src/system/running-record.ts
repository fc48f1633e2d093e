import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type SystemPorts, type SystemSettings, systemOrigin } from "./settings.js";

/** Names the process that runs the system of one state folder, so that there is one at a time. */
export interface RunningRecord {
  readonly pid: number;
  /** When that process began: process numbers are reused. */
  readonly began: string;
  /** Address of its authorization server. */
  readonly issuer: string;
  readonly ports: SystemPorts;
  /** Whether everything is started and registered. */
  readonly ready: boolean;
}

/** The process that runs the system of this state folder, if one does. */
export function findRunning(stateDirectory: string): RunningRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(recordFile(stateDirectory), "utf8")) as RunningRecord;
    return beginning(record.pid) === record.began ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Claims the state folder for this process. */
export function recordRunning(settings: SystemSettings, { ready }: { readonly ready: boolean }): void {
  const record: RunningRecord = {
    pid: process.pid,
    began: beginning(process.pid) ?? "",
    issuer: systemOrigin(settings, "server"),
    ports: settings.ports,
    ready,
  };
  const file = recordFile(settings.stateDirectory);
  // Renamed into place, so that readers never see half a record.
  writeFileSync(`${file}.new`, JSON.stringify(record));
  renameSync(`${file}.new`, file);
}

export function forgetRunning(stateDirectory: string): void {
  rmSync(recordFile(stateDirectory), { force: true });
}

function recordFile(stateDirectory: string): string {
  return join(stateDirectory, "running.json");
}

/** What distinguishes a process from a later one with the same number; `undefined` when there is no such process. */
function beginning(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) {
      return undefined;
    }
  }
  if (process.platform !== "linux") {
    return "";
  }
  // Field 22 of proc_pid_stat(5), counted behind the program name, which may contain anything.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .at(19);
}
