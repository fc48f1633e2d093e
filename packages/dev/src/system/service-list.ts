import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { people, type PersonId } from "../people.js";
import { ReadableError } from "../readable-error.js";
import type { Registry } from "./registry.js";

/** A service that was registered, and who may do what there. */
export interface RegisteredService {
  readonly key: string;
  readonly name: string;
  readonly resource: string;
  readonly authorizationServer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly skillDiscovery: boolean;
  readonly allowsBearer: boolean;
  readonly given: { readonly scopes: readonly string[]; readonly people: readonly PersonId[] };
}

/**
 * The services that were registered in this system, in their order.
 *
 * @throws {ReadableError} The file is broken.
 */
export function readServices(stateDirectory: string): readonly RegisteredService[] {
  const file = listFile(stateDirectory);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  try {
    return JSON.parse(text) as readonly RegisteredService[];
  } catch (error) {
    throw new ReadableError(`${file} cannot be read.\nRemove it and register the services again.`, {
      cause: error,
    });
  }
}

export function writeServices(stateDirectory: string, services: readonly RegisteredService[]): void {
  const file = listFile(stateDirectory);
  writeFileSync(`${file}.new`, `${JSON.stringify(services, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * The same service again, when it listens at the same origin: it takes the place of what was known.
 *
 * @param taken - keys that the system itself uses
 */
export function withService(
  services: readonly RegisteredService[],
  service: RegisteredService,
  taken: readonly string[] = [],
): readonly RegisteredService[] {
  const originOf = ({ resource }: RegisteredService): string => new URL(resource).origin;
  const known = services.find((other) => originOf(other) === originOf(service));
  if (known === undefined) {
    const keys = [...taken, ...services.map(({ key }) => key)];
    return [...services, { ...service, key: freeKey(keys, service.key) }];
  }
  const renewed = { ...service, key: known.key };
  return services.map((other) => (other === known ? renewed : other));
}

/**
 * A registry with these services besides. What people are given there is added to what the registry gives them;
 * all three are listed then, so that a person who is no longer listed loses it.
 */
export function withServices(base: Registry, services: readonly RegisteredService[]): Registry {
  if (services.length === 0) return base;
  const described = new Set(base.scopes.map(({ key }) => key));
  const scopes = new Set(services.flatMap((service) => service.scopes).filter((key) => !described.has(key)));
  const others = base.assignments.filter(({ email }) => !people.some((person) => person.email === email));
  return {
    ...base,
    scopes: [...base.scopes, ...[...scopes].map((key) => ({ key, description: describeScope(key) }))],
    resources: [...base.resources, ...services.map(toResource)],
    assignments: [
      ...people.map(({ id, email }) => {
        const own = base.assignments.find((assignment) => assignment.email === email)?.scopes ?? [];
        const given = services.flatMap((service) =>
          service.given.people.includes(id) ? service.given.scopes : [],
        );
        return { email, scopes: [...new Set([...own, ...given])] };
      }),
      ...others,
    ],
  };
}

function toResource(service: RegisteredService): Registry["resources"][number] {
  const { key, name, resource, authorizationServer, clientId, scopes, skillDiscovery, allowsBearer } =
    service;
  const requestPrefixes = [resource];
  return {
    key,
    name,
    resource,
    authorizationServer,
    clientId,
    requestPrefixes,
    scopes,
    skillDiscovery,
    allowsBearer,
  };
}

/** `contracts:read` is "Read contracts" until there are better words. */
function describeScope(scope: string): string {
  const [namespace = "", permission = ""] = scope.split(":");
  const words = `${permission} ${namespace}`.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function freeKey(taken: readonly string[], wanted: string): string {
  if (!taken.includes(wanted)) return wanted;
  let count = 2;
  while (taken.includes(`${wanted}-${count}`)) count += 1;
  return `${wanted}-${count}`;
}

function listFile(stateDirectory: string): string {
  return join(stateDirectory, "services.json");
}
