import { stateDirectoryOf } from "./system/state-directory.js";
import { defaultPorts, inheritedEnvironment, parsePort, type SystemSettings } from "./system/settings.js";

/** What can be typed behind `authz-dev` about the place of the system. */
export interface PlaceOptions {
  /** The project that the system belongs to. */
  readonly folder: string;
  readonly port: string;
  readonly idpPort: string;
  readonly postgresPort: string;
}

/** The ports, as they would be typed. */
export const usualPorts: Omit<PlaceOptions, "folder"> = {
  port: String(defaultPorts.server),
  idpPort: String(defaultPorts.idp),
  postgresPort: String(defaultPorts.postgres),
};

/**
 * Reads where the system lives and listens.
 *
 * @throws {ReadableError} A port cannot be used.
 */
export function readSystemSettings({ folder, port, idpPort, postgresPort }: PlaceOptions): SystemSettings {
  return {
    stateDirectory: readStateDirectory(folder),
    ports: {
      server: parsePort("--port", port),
      idp: parsePort("--idp-port", idpPort),
      postgres: parsePort("--postgres-port", postgresPort),
    },
    inherited: readInherited(),
  };
}

/** Where the system of a project keeps everything. */
export function readStateDirectory(project: string): string {
  return stateDirectoryOf(project, process.env);
}

/** Whether npm or npx started this process, which they do through a shell. */
export function isRunByNpm(): boolean {
  return process.env["npm_lifecycle_event"] !== undefined;
}

/** What child processes may know of our environment. */
export function readInherited(): NodeJS.ProcessEnv {
  return inheritedEnvironment(process.env);
}
