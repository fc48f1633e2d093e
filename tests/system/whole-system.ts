import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { readSettings, type Settings } from "../../tools/src/development/settings.js";
import { ReadableError } from "../../tools/src/readable-error.js";
import { isPortFree } from "../../tools/src/network/ports.js";

/** A place for one more system beside whatever runs on this computer: free ports, an empty folder, an empty home. */
export interface Place {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  /** Ports of 127.0.0.1 that something listens on. */
  portsInUse(): Promise<readonly number[]>;
  remove(): void;
}

/** How a script ended, and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Script {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when stdout contains this text. Rejects when the script ends before. */
  untilPrinted(expected: string): Promise<string>;
}

export async function findPlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "authz-whole-system-"));
  const home = mkdtempSync(join(tmpdir(), "authz-whole-system-home-"));
  for (;;) {
    const offset = 300 + Math.floor(Math.random() * 10_000);
    const env = {
      PATH: process.env["PATH"],
      HOME: home,
      AUTHZ_DEV_DIR: folder,
      AUTHZ_DEV_PORT_OFFSET: String(offset),
      ...withoutKeyring(),
    };
    const settings = settingsOf(env);
    if (settings === undefined) continue;
    const portsInUse = async (): Promise<readonly number[]> => {
      const ports = Object.values(settings.ports);
      const free = await Promise.all(ports.map(isPortFree));
      return ports.filter((_, index) => !free[index]);
    };
    if ((await portsInUse()).length === 0) {
      const remove = (): void => {
        for (const path of [folder, home]) {
          rmSync(path, { recursive: true, force: true });
        }
      };
      return { settings, env, portsInUse, remove };
    }
  }
}

/** Nothing of a test belongs in the keyring of whoever runs it. On Linux there is none; elsewhere the command is told not to use it. */
export function withoutKeyring(): NodeJS.ProcessEnv {
  return process.platform === "linux"
    ? { DBUS_SESSION_BUS_ADDRESS: "unix:path=/dev/null/bus" }
    : { AUTHZ_TOKEN_STORE: "file" };
}

/** `undefined`: the offset leads to a port that cannot be used. */
function settingsOf(env: NodeJS.ProcessEnv): Settings | undefined {
  try {
    return readSettings(env);
  } catch (error) {
    if (error instanceof ReadableError) return undefined;
    throw error;
  }
}

/** Runs one of the scripts behind npm, or any command line, in the root of the repository. */
export function runScript(place: Place, command: string, ...args: readonly string[]): Script {
  const child = spawn(command, args, {
    cwd: place.settings.root,
    env: place.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += String(chunk);
  });
  const ended = Promise.all([
    new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }),
    text(child.stderr),
  ]).then(([code, stderr]) => ({ code, stdout: printed, stderr }));
  return {
    child,
    ended,
    untilPrinted: (expected) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (printed.includes(expected)) {
            resolve(printed);
          }
        };
        child.stdout.on("data", look);
        look();
        void ended.then(({ code, stderr }) =>
          reject(
            new Error(`The script ended (exit code ${code}) and never printed "${expected}".\n${stderr}`),
          ),
        );
      }),
  };
}
