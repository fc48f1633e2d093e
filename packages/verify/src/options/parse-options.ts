import type { Clock, NonceSource, ReplayStore } from "@authz/dpop";
import { isJsonObject } from "@authz/dpop/jws";
import { canonicalResource, isScope } from "@authz/dpop/jwt";
import { isInMemory } from "@authz/dpop/replay";
import { checkSigningKeys, type SigningKeySource } from "../keys/signing-key.js";
import type { AuthzLog } from "../log.js";
import { printableJson } from "../printable-json.js";
import type { AuthzOptions } from "./options.js";
import { checkIssuer, checkOrigin } from "./origins.js";
import { findServerlessMark } from "./platform.js";
import { checkSkills, type SkillSource } from "./skills.js";

/** The checked options with every default filled in. Frozen. */
export interface Configuration {
  readonly issuer: string;
  readonly resource: string;
  readonly publicOrigin: string;
  readonly clientId: string;
  readonly supportedScopes: readonly string[];
  readonly signingKeys: SigningKeySource;
  readonly replayStore: ReplayStore;
  readonly skills: SkillSource | undefined;
  readonly allowInsecureLoopback: boolean;
  readonly resourceName: string | undefined;
  readonly dpop: "required" | "allowed";
  readonly nonces: NonceSource | undefined;
  readonly discoveryProxyOrigin: string | undefined;
  readonly statusList: boolean;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly timeoutSeconds: number;
  readonly clockToleranceSeconds: number;
  readonly verification: "synchronous" | "concurrent";
  readonly log: AuthzLog | undefined;
}

/** The type makes a forgotten option a compile error. */
const knownOptions: Readonly<Record<keyof AuthzOptions, true>> = {
  resource: true,
  publicOrigin: true,
  clientId: true,
  supportedScopes: true,
  signingKey: true,
  signingKeys: true,
  replayStore: true,
  skills: true,
  allowInsecureLoopback: true,
  resourceName: true,
  dpop: true,
  nonces: true,
  discoveryProxyOrigin: true,
  statusList: true,
  fetch: true,
  clock: true,
  timeoutSeconds: true,
  clockToleranceSeconds: true,
  verification: true,
  log: true,
};

/**
 * Checks the arguments of `initAuthz`.
 *
 * @throws {TypeError} The message names the option and the remedy.
 */
export function parseOptions(issuer: unknown, options: unknown): Configuration {
  const given = checkNames(options);
  const insecure = checkBoolean("allowInsecureLoopback", given.allowInsecureLoopback);
  const checkedIssuer = checkIssuer(issuer, insecure);
  const publicOrigin = checkOrigin("publicOrigin", given.publicOrigin, insecure);
  if (checkedIssuer === publicOrigin) {
    throw new TypeError(
      "issuer and publicOrigin are the same. A service is not its own authorization server.",
    );
  }
  return Object.freeze({
    issuer: checkedIssuer,
    resource: checkResource(given.resource, { issuer: checkedIssuer, publicOrigin }),
    publicOrigin,
    clientId: checkClientId(given.clientId),
    supportedScopes: checkSupportedScopes(given.supportedScopes),
    signingKeys: checkSigningKeys(given.signingKey, given.signingKeys),
    replayStore: checkReplayStore(given.replayStore, insecure),
    skills: checkSkills(given.skills),
    allowInsecureLoopback: insecure,
    resourceName: checkResourceName(given.resourceName),
    dpop: checkChoice("dpop", given.dpop, ["required", "allowed"]),
    nonces: checkNonces(given.nonces),
    discoveryProxyOrigin:
      given.discoveryProxyOrigin === undefined
        ? undefined
        : checkOrigin("discoveryProxyOrigin", given.discoveryProxyOrigin, insecure),
    statusList: given.statusList === undefined || checkBoolean("statusList", given.statusList),
    fetch: checkFunction("fetch", given.fetch) ?? ((input, init) => fetch(input, init)),
    clock: checkFunction("clock", given.clock) ?? (() => Date.now()),
    timeoutSeconds: checkTimeout(given.timeoutSeconds),
    clockToleranceSeconds: checkClockTolerance(given.clockToleranceSeconds),
    verification: checkChoice("verification", given.verification, ["synchronous", "concurrent"]),
    log: checkFunction("log", given.log),
  });
}

function checkNames(options: unknown): Partial<AuthzOptions> {
  if (!isJsonObject(options)) {
    throw new TypeError("options must be an object. See the quickstart of @authz/verify.");
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(knownOptions, name)) {
      throw new TypeError(
        `Unknown option "${name}". Known options: ${Object.keys(knownOptions).join(", ")}.`,
      );
    }
  }
  return options;
}

function checkBoolean(option: string, value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value !== "boolean") throw new TypeError(`${option} must be true or false.`);
  return value;
}

/** A path that every framework mounts literally: none of these characters is special to a router. */
const plainPath = /^(?:\/[A-Za-z0-9._~-]+)*\/?$/;

interface Origins {
  readonly issuer: string;
  readonly publicOrigin: string;
}

function checkResource(value: unknown, { issuer, publicOrigin }: Origins): string {
  if (value === undefined) return `${publicOrigin}/api`;
  const resource = typeof value === "string" ? canonicalResource(value) : undefined;
  if (resource === undefined || !isAtOrBelow(resource, publicOrigin)) {
    throw new TypeError(
      `resource must be a URL at or below publicOrigin, without query and fragment, such as "${publicOrigin}/api".`,
    );
  }
  if (!plainPath.test(resource.slice(publicOrigin.length))) {
    throw new TypeError(
      "resource must have a path of letters, digits, -, ., _ and ~, because the metadata is served below the same path.",
    );
  }
  if (isAtOrBelow(resource, issuer)) {
    throw new TypeError("resource belongs to the issuer. Tokens for its own API must not open this service.");
  }
  return resource;
}

function isAtOrBelow(url: string, base: string): boolean {
  return url === base || url.startsWith(`${base}/`);
}

function checkClientId(value: unknown): string {
  if (typeof value !== "string" || !/^[\x20-\x7E]{1,256}$/.test(value)) {
    throw new TypeError('clientId must be 1 to 256 printable ASCII characters, such as "authz-cli".');
  }
  return value;
}

function checkSupportedScopes(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new TypeError(
      'supportedScopes must be a non-empty array of scopes "namespace:permission", such as ["contracts:read"].',
    );
  }
  const scopes: readonly unknown[] = value;
  const other = scopes.findIndex((scope) => !isScope(scope));
  if (other !== -1) {
    throw new TypeError(
      `supportedScopes has ${printableJson(scopes[other])}. A scope is "namespace:permission", both of a-z, 0-9 and -, with at most 200 characters.`,
    );
  }
  if (new Set(value).size !== value.length) {
    throw new TypeError("supportedScopes has the same scope twice. Remove one.");
  }
  if (value.join(" ").length > 4096) {
    throw new TypeError(
      "supportedScopes is longer than 4096 characters in all. An access token could not carry it.",
    );
  }
  return Object.freeze([...value]);
}

function checkReplayStore(value: unknown, isDevelopment: boolean): ReplayStore {
  const { consume } = Object(value) as Partial<ReplayStore>;
  if (typeof value !== "object" || typeof consume !== "function") {
    throw new TypeError(
      "replayStore must have a consume() method. Use inMemory() for one process, or a shared store for several.",
    );
  }
  if (isDevelopment || !isInMemory(value as ReplayStore)) return value as ReplayStore;
  const mark = findServerlessMark();
  if (mark !== undefined) {
    throw new TypeError(
      `replayStore is inMemory(), but ${mark} says that this is a serverless function: another instance would accept the same proof again. Use @authz/replay-postgres or @authz/replay-redis.`,
    );
  }
  return value as ReplayStore;
}

function checkResourceName(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.length === 0 || value.length > 200) {
    throw new TypeError("resourceName must be a string of 1 to 200 characters.");
  }
  return value;
}

/** The first choice is the default. */
function checkChoice<Choice extends string>(
  option: string,
  value: unknown,
  choices: readonly [Choice, Choice],
): Choice {
  if (value === undefined) return choices[0];
  const choice = choices.find((one) => one === value);
  if (choice === undefined) throw new TypeError(`${option} must be "${choices.join('" or "')}".`);
  return choice;
}

function checkNonces(value: unknown): NonceSource | undefined {
  if (value === undefined) return undefined;
  const { current, accepts } = Object(value) as Partial<NonceSource>;
  if (typeof current !== "function" || typeof accepts !== "function") {
    throw new TypeError("nonces must be a nonce source. Make one with createNonceSource({ secret }).");
  }
  return value as NonceSource;
}

function checkTimeout(value: unknown): number {
  if (value === undefined) return 5;
  if (typeof value !== "number" || !(value >= 1 && value <= 60)) {
    throw new TypeError("timeoutSeconds must be a number from 1 to 60.");
  }
  return value;
}

function checkClockTolerance(value: unknown): number {
  if (value === undefined) return 5;
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > 300) {
    throw new TypeError("clockToleranceSeconds must be a whole number from 0 to 300.");
  }
  return value as number;
}

function checkFunction<T>(option: string, value: T | undefined): T | undefined {
  if (value !== undefined && typeof value !== "function")
    throw new TypeError(`${option} must be a function.`);
  return value;
}
