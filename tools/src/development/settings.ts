import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  inheritedEnvironment,
  isRefusedByBrowsers,
  stateDirectoryOf,
  type SystemSettings,
} from "../parts.js";
import { ReadableError } from "../readable-error.js";

/** The three protected services, by the key that the demonstration reports them under. */
export const serviceKeys = ["express", "koa", "fastify"] as const;
export type ServiceKey = (typeof serviceKeys)[number];

export interface Settings extends SystemSettings {
  /** Root of the repository. */
  readonly root: string;
  readonly ports: Readonly<Record<"server" | "idp" | "notes" | "mcp" | "postgres" | ServiceKey, number>>;
}

const defaultPorts = {
  server: 3000,
  idp: 3010,
  notes: 3020,
  express: 3101,
  koa: 3102,
  fastify: 3103,
  mcp: 3104,
  postgres: 54316,
};
const highestOffset = 65535 - defaultPorts.postgres;

/**
 * Reads the two settings the development system has: AUTHZ_DEV_PORT_OFFSET and AUTHZ_DEV_DIR.
 *
 * @throws {ReadableError} One of them is unusable.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const text = env["AUTHZ_DEV_PORT_OFFSET"] || "0";
  const offset = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(offset <= highestOffset)) {
    throw new ReadableError(
      `AUTHZ_DEV_PORT_OFFSET is "${text}".\nIt is added to every port, so it must be a number from 0 to ${highestOffset}.`,
    );
  }
  const shifted = (port: number): number => port + offset;
  const refused = Object.values(defaultPorts)
    .map(shifted)
    .find((port) => isRefusedByBrowsers(port));
  if (refused !== undefined) {
    throw new ReadableError(
      `AUTHZ_DEV_PORT_OFFSET is ${text}, which leads to port ${refused}.\nBrowsers refuse to open that one. Use another offset, such as ${offset + 100}.`,
    );
  }
  return {
    root,
    stateDirectory: env["AUTHZ_DEV_DIR"] ? resolve(root, env["AUTHZ_DEV_DIR"]) : stateDirectoryOf(root, env),
    ports: {
      server: shifted(defaultPorts.server),
      idp: shifted(defaultPorts.idp),
      notes: shifted(defaultPorts.notes),
      express: shifted(defaultPorts.express),
      koa: shifted(defaultPorts.koa),
      fastify: shifted(defaultPorts.fastify),
      mcp: shifted(defaultPorts.mcp),
      postgres: shifted(defaultPorts.postgres),
    },
    inherited: inheritedEnvironment(env),
  };
}

/** The origin of one part of the system. Literal 127.0.0.1: a name may resolve to something else. */
export function originOf(settings: Settings, part: "server" | "idp" | "notes" | "mcp" | ServiceKey): string {
  return `http://127.0.0.1:${settings.ports[part]}`;
}
