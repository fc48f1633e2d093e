import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { people, type PersonId } from "../people.js";
import { ReadableError } from "../readable-error.js";
import { applyRegistryOnce } from "../system/applied-registry.js";
import { startProgram } from "../system/program-process.js";
import { databaseUrl, registrationProgram, serverEnvironment } from "../system/programs.js";
import { findRunning } from "../system/running-record.js";
import { loadSecrets } from "../system/secrets.js";
import { type SystemSettings } from "../system/settings.js";
import { completeRegistry, readBaseRegistry } from "../system/complete-registry.js";
import { readService, type ServiceMetadata } from "./read-service.js";
import { readServices, type RegisteredService, withService, writeServices } from "../system/service-list.js";

export interface RegisterOptions {
  /** Any URL of the service. */
  readonly address: URL;
  /** Where the running system keeps everything. */
  readonly stateDirectory: string;
  readonly name?: string | undefined;
  /** What people get. Default: every scope of the service. */
  readonly scopes?: readonly string[] | undefined;
  /** Who gets it. Default: everyone. */
  readonly people?: readonly PersonId[] | undefined;
  /** The client identifier of the command-line client at this service. */
  readonly clientId: string;
  /** What child processes inherit. */
  readonly inherited: NodeJS.ProcessEnv;
}

export interface Registration {
  readonly service: RegisteredService;
  readonly issuer: string;
  /** Whether anything was new. */
  readonly changed: boolean;
  /** The beginning of its addresses that a proxy in front of it removes. */
  readonly strippedPrefix: string | undefined;
}

/**
 * Registers a service in the system that runs from a folder, as the service describes itself: with its scopes, and people who have them.
 * Running it again changes nothing; if the service has changed, its registration is updated.
 *
 * @throws {ReadableError} Nothing runs there, the service cannot be read or does not match, or the server refuses it.
 */
export async function registerService(options: RegisterOptions): Promise<Registration> {
  const settings = runningSystem(options);
  const issuer = `http://127.0.0.1:${settings.ports.server}`;
  const metadata = await readService(options.address, issuer);
  const taken = readBaseRegistry(settings.stateDirectory).resources.map(({ key }) => key);
  const services = withService(readServices(settings.stateDirectory), describe(metadata, options), taken);
  const service = services.find(({ resource }) => resource === metadata.resource) as RegisteredService;
  const changed = await applyServices(settings, services);
  return { service, issuer, changed, strippedPrefix: metadata.strippedPrefix };
}

/** @throws {ReadableError} Nothing runs, or not yet. */
function runningSystem({
  stateDirectory,
  inherited,
}: Pick<RegisterOptions, "stateDirectory" | "inherited">): SystemSettings {
  const running = findRunning(stateDirectory);
  if (running === undefined) {
    throw new ReadableError(
      [
        "No development system of this folder is running.",
        "Start it in another terminal, in the same folder: npx @authz/dev",
        "If it was started in another folder, name that one: --folder OTHER",
      ].join("\n"),
    );
  }
  if (!running.ready) {
    throw new ReadableError(
      `The system of process ${running.pid} is still starting.\nRepeat this command once it says that it is running.`,
    );
  }
  return { stateDirectory, ports: running.ports, inherited };
}

function describe(metadata: ServiceMetadata, options: RegisterOptions): RegisteredService {
  const { resource, authorizationServer, scopes, publishesSkills, allowsBearer } = metadata;
  const name = options.name ?? metadata.name ?? `Service at ${options.address.host}`;
  const given = options.scopes ?? scopes;
  const unknown = given.filter((scope) => !scopes.includes(scope));
  if (unknown.length > 0) {
    throw new ReadableError(
      [
        `The service does not know ${unknown.join(", ")}.`,
        `  expected  one of ${scopes.join(", ")}`,
        `Write in the service:  supportedScopes: ${JSON.stringify([...scopes, ...unknown])},`,
      ].join("\n"),
    );
  }
  return {
    key: keyOf(options.name ?? metadata.name ?? "") || `service-${options.address.port || "443"}`,
    name,
    resource,
    authorizationServer,
    clientId: options.clientId,
    scopes,
    skillDiscovery: publishesSkills,
    allowsBearer,
    given: { scopes: given, people: options.people ?? people.map(({ id }) => id) },
  };
}

function keyOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 90);
}

async function applyServices(
  settings: SystemSettings,
  services: readonly RegisteredService[],
): Promise<boolean> {
  const { stateDirectory } = settings;
  const secrets = await loadSecrets(stateDirectory);
  const registry = completeRegistry(stateDirectory, services);
  const file = join(stateDirectory, "registry.json");
  let changed = false;
  await applyRegistryOnce(settings, registry, async () => {
    writeFileSync(file, registry, { mode: 0o600 });
    const environment = serverEnvironment(settings, secrets, databaseUrl(settings, secrets));
    const program = startProgram(settings, registrationProgram(environment, file));
    const code = await program.exited;
    if (code !== 0) throw new ReadableError(`The server refuses it.\n${program.lastWords()}`);
    changed = true;
  });
  // Only what the server has accepted: the next start applies all of it again.
  writeServices(stateDirectory, services);
  return changed;
}
