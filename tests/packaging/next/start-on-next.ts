import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { RunningApp, StartAdapter } from "@authz/contract-tests";
import { startBridge } from "../runtimes/bridge.js";
import { writeDescription } from "../runtimes/service-description.js";
import { nextProgram, quiet } from "./build-app.js";

/** Starts the built application with `next start`, in a process of its own, which ends when its input does. */
export function startOnNext(directory: string, basePath = ""): StartAdapter {
  return async (contract) => {
    const { url, server } = await startBridge(contract);
    const description = await writeDescription(contract, url);
    const child = spawn(process.execPath, [nextProgram, "start", "--hostname", "127.0.0.1", "--port", "0"], {
      cwd: directory,
      env: { ...quiet, AUTHZ_CONTRACT: description, AUTHZ_BASE_PATH: basePath },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const ended = once(child, "exit");
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
    const running: Omit<RunningApp, "port"> = {
      async close() {
        child.stdin.end();
        await ended;
        server.closeAllConnections();
        await new Promise((resolve) => void server.close(resolve));
      },
    };
    let port = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      port = Number(/Local: +http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? port);
      if (line.includes("Ready in")) return { ...running, port };
    }
    await running.close();
    throw new Error(`Next.js ended before it listened. ${complaint}`);
  };
}
