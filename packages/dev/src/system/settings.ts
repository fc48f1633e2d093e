import { ReadableError } from "../readable-error.js";

/** Where one development system lives, and at which ports of 127.0.0.1. */
export interface SystemSettings {
  /** Everything that it keeps: data, secrets, logs. */
  readonly stateDirectory: string;
  readonly ports: SystemPorts;
  /** What every child process inherits. */
  readonly inherited: NodeJS.ProcessEnv;
}

export interface SystemPorts {
  readonly server: number;
  readonly idp: number;
  readonly postgres: number;
}

/** Where the parts listen by default. */
export const defaultPorts: SystemPorts = { server: 3000, idp: 3010, postgres: 54_316 };

/** Ports below 65536 that browsers and `fetch` refuse to open (Fetch standard, "bad port"), above 1023. */
const refusedPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080,
]);

/** Whether browsers and `fetch` refuse to open this port. */
export function isRefusedByBrowsers(port: number): boolean {
  return refusedPorts.has(port);
}

/**
 * Reads a port as it was typed.
 *
 * @throws {ReadableError} It is no number from 1024 to 65535, or one that browsers refuse to open.
 */
export function parsePort(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port >= 1024 && port <= 65_535)) {
    throw new ReadableError(`${name} is "${text}".\nIt must be a port, a number from 1024 to 65535.`);
  }
  if (isRefusedByBrowsers(port)) {
    throw new ReadableError(`${name} is ${port}.\nBrowsers refuse to open that port. Use another one.`);
  }
  return port;
}

const inheritedVariables = ["HOME", "TMPDIR", "LANG"];

/** What children may know of our environment: nothing that could change what they do. npx puts programs of the working folder into PATH. */
export function inheritedEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(inheritedVariables.map((name) => [name, env[name]]));
}

/** The origin of one part. Literal 127.0.0.1: a name may resolve to something else. */
export function systemOrigin({ ports }: Pick<SystemSettings, "ports">, part: "server" | "idp"): string {
  return `http://127.0.0.1:${ports[part]}`;
}
