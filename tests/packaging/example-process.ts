import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A started example: where it listens, and how it ended. */
export interface ExampleProcess {
  readonly origin: string;
  /** What it has written to stderr so far. */
  complaint(): string;
  /** Asks it to end, and resolves to its exit code. */
  stop(): Promise<number | null>;
}

/** Starts an example as its own process and waits for the line that says where it listens. */
export async function startExample(
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<ExampleProcess> {
  const { AUTHZ_ISSUER: _issuer, NODE_OPTIONS: _options, ...inherited } = process.env;
  const child = spawn(process.execPath, ["dist/main.js"], {
    cwd: directory,
    env: { ...inherited, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit") as Promise<[number | null]>;
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  for await (const line of createInterface({ input: child.stdout })) {
    const origin = / listens on (\S+) /.exec(line)?.[1];
    if (origin === undefined) continue;
    return {
      origin,
      complaint: () => complaint,
      async stop() {
        child.kill("SIGTERM");
        return (await ended)[0];
      },
    };
  }
  throw new Error(`The example in ${directory} ended with code ${(await ended)[0]}. ${complaint}`);
}
