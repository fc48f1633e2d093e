import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";

/** Where one child process's output goes: a fresh file per start, readable for its owner only. */
export interface LogFile {
  readonly path: string;
  write(line: string): void;
}

export function openLogFile(stateDirectory: string, key: string): LogFile {
  const folder = join(stateDirectory, "logs");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${key}.log`);
  const stream = createWriteStream(path, { mode: 0o600 });
  return { path, write: (line) => void stream.write(`${line}\n`) };
}
