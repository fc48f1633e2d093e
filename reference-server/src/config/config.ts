import { readFileSync } from "node:fs";
import type { PrivateJwk, PublicJwk } from "@authz/dpop";
import {
  base64Secret,
  base64urlSecret,
  issuerVariable,
  parseBoolean,
  parseDrainSeconds,
  parseLogLevel,
  parseNetworks,
  parsePort,
  postgresUrl,
  privateJwkVariable,
  publicJwkVariable,
  signingKid,
  usualDrainSeconds,
  type Variable,
  wholeNumber,
} from "./variables.js";
import { type ConnectorKeyConfig, readConnectorKeys } from "./connector-keys.js";
import { findLikelySlip, findMisspelledVariables, type MisspelledVariable } from "./misspelled-variables.js";
import {
  defaultRateLimits,
  parseRateLimits,
  type RateLimits,
  rateLimitNames,
} from "../platform/rate-limits/limits.js";
import { type LogLevel, logLevels } from "../platform/http/log.js";
import { readTracingConfig, type TracingConfig } from "../platform/tracing/config.js";

/** The ES256 key that the environment brings. */
export interface SigningKey {
  readonly kid: string;
  readonly privateJwk: PrivateJwk;
  readonly publicJwk: PublicJwk;
}

/** How many connections to the database a process makes at most, and how long it waits for it. */
export interface DatabaseLimits {
  readonly poolSize: number;
  readonly connectSeconds: number;
  readonly statementSeconds: number;
}

/** Everything the server knows from its environment. Frozen; nothing else reads `process.env`. */
export interface Config {
  readonly postgresUrl: string;
  readonly databaseLimits: DatabaseLimits;
  /** The public origin of this server, without a slash at the end. */
  readonly issuer: string;
  readonly sessionSecret: Buffer;
  readonly setupToken: Buffer;
  readonly credentialEncryptionKey: Buffer;
  /** Keys that were replaced: they only open. */
  readonly previousCredentialKeys: readonly Buffer[];
  /** Keys that seal the secrets of connectors. What is wrong with them is said when one is needed. */
  readonly connectorKeys: ConnectorKeyConfig;
  readonly signingKey: SigningKey;
  readonly allowInsecureLoopback: boolean;
  /** Networks that the server may fetch from although they are not public, as CIDR. */
  readonly outboundNetworks: readonly string[];
  readonly host: string;
  readonly port: number;
  /** Where `/livez`, `/readyz` and `/metrics` are served; `undefined` opens no such port. */
  readonly managementPort: number | undefined;
  /** How long a process that was told to stop still takes requests, so that the platform can notice. */
  readonly drainSeconds: number;
  /** Whether DPoP proofs must carry a nonce of this server. */
  readonly dpopNonces: boolean;
  /** Proxies whose `X-Forwarded-For` is believed, as CIDR. */
  readonly trustedProxies: readonly string[];
  readonly rateLimits: RateLimits;
  /** Seconds between two rounds of removing what has expired. */
  readonly housekeepingSeconds: number;
  /** Where traces go; `undefined` unless the variables of OpenTelemetry ask for traces. */
  readonly tracing: TracingConfig | undefined;
  readonly logLevel: LogLevel;
  /** Variables that are not read, but almost have the name of one that is. */
  readonly misspelledVariables: readonly MisspelledVariable[];
}

/** One variable that is missing or malformed. Never carries the value. */
export interface ConfigProblem {
  readonly variable: string;
  readonly problem: string;
}

/** The environment is not usable; the message names every offending variable at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ variable, problem }) => `  ${variable}: ${problem}`);
    const count = problems.length === 1 ? "one variable is" : `${problems.length} variables are`;
    super(`The configuration is not usable: ${count} missing or malformed.\n${lines.join("\n")}`);
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the file that a `NAME_FILE` variable points to. */
export type ReadSecretFile = (path: string) => string;

/**
 * Builds the configuration from environment variables.
 *
 * Each variable `NAME` can also be given as `NAME_FILE`, the path of a file that holds the value.
 *
 * @throws {ConfigError} At least one variable is missing or malformed.
 */
export function loadConfig(
  environment: Environment,
  readSecretFile: ReadSecretFile = (path) => readFileSync(path, "utf8"),
): Config {
  const problems: ConfigProblem[] = [];
  const known = new Set<string>();
  const read = <T>(name: string, variable: Variable<T>): T | undefined => {
    known.add(name);
    try {
      const text = textOf(name, environment, readSecretFile);
      if (text !== undefined) return variable.parse(text);
      if ("fallback" in variable) return variable.fallback;
      problems.push({ variable: name, problem: `missing. Expected: ${variable.expected}` });
    } catch (error) {
      const problem = `${(error as Error).message}. Expected: ${variable.expected}`;
      problems.push({ variable: name, problem });
    }
    return undefined;
  };

  const allowInsecureLoopback = read("AUTHZ_ALLOW_INSECURE_LOOPBACK", {
    expected: '"true" or "false"; true only for development on this machine',
    parse: parseBoolean,
    fallback: false,
  });
  const values = {
    postgresUrl: read("POSTGRES_URL", postgresUrl),
    databaseLimits: Object.freeze({
      // Each background task that runs in one process at a time keeps one connection and works with another.
      poolSize: read("AUTHZ_POSTGRES_POOL_SIZE", wholeNumber({ min: 5, max: 500, fallback: 10 })),
      connectSeconds: read("AUTHZ_POSTGRES_CONNECT_SECONDS", wholeNumber({ min: 1, max: 60, fallback: 3 })),
      statementSeconds: read(
        "AUTHZ_POSTGRES_STATEMENT_SECONDS",
        wholeNumber({ min: 2, max: 300, fallback: 5 }),
      ),
    }),
    issuer: read("AUTHZ_ISSUER", issuerVariable(allowInsecureLoopback ?? false)),
    sessionSecret: read("AUTH_SESSION_SECRET", base64urlSecret),
    setupToken: read("AUTHZ_SETUP_TOKEN", base64urlSecret),
    credentialEncryptionKey: read("AUTHZ_CREDENTIAL_ENCRYPTION_KEY", base64Secret),
    previousCredentialKeys: read<readonly Buffer[]>("AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS", {
      expected:
        "keys that were replaced and still open, separated by commas, each 32 bytes as standard base64",
      parse: (text) => Object.freeze(text.split(",").map((key) => base64Secret.parse(key.trim()))),
      fallback: [],
    }),
    connectorKeys: readConnectorKeys(
      {
        text(name) {
          known.add(name);
          return textOf(name, environment, readSecretFile);
        },
        file(name) {
          known.add(name);
          const path = environment[`${name}_FILE`] || undefined;
          if (path !== undefined && environment[name]) throw setTwice(name);
          return path;
        },
      },
      { allowInsecureLoopback: allowInsecureLoopback ?? false },
    ),
    outboundNetworks: read("AUTHZ_OUTBOUND_NETWORKS", {
      expected: "networks in CIDR notation, separated by commas, e.g. 10.20.0.0/16,fd00::/8",
      parse: parseNetworks,
      fallback: [],
    }),
    host: read("AUTHZ_HOST", {
      expected: "an address to listen on",
      parse: (text) => text,
      fallback: "0.0.0.0",
    }),
    port: read("AUTHZ_PORT", { expected: "a port number, 0 to 65535", parse: parsePort, fallback: 3000 }),
    managementPort: read<number | undefined>("AUTHZ_MANAGEMENT_PORT", {
      expected: "a port number, 0 to 65535",
      parse: parsePort,
      fallback: undefined,
    }),
    drainSeconds: read("AUTHZ_DRAIN_SECONDS", {
      expected: "0 to 8",
      parse: parseDrainSeconds,
      // Nothing stands in front of a server on a developer's machine.
      fallback: allowInsecureLoopback === true ? 0 : usualDrainSeconds,
    }),
    dpopNonces: read("AUTHZ_DPOP_NONCES", {
      expected: '"true" or "false"; true asks every client for nonces in its proofs',
      parse: parseBoolean,
      fallback: false,
    }),
    trustedProxies: read("AUTHZ_TRUSTED_PROXIES", {
      expected: "networks of proxies in CIDR notation, separated by commas, e.g. 10.0.0.0/8",
      parse: parseNetworks,
      fallback: [],
    }),
    rateLimits: read<RateLimits>("AUTHZ_RATE_LIMITS", {
      expected: `"off", or requests per minute such as token.address=60000 for some of ${rateLimitNames.join(", ")}`,
      parse: parseRateLimits,
      fallback: defaultRateLimits,
    }),
    housekeepingSeconds: read("AUTHZ_HOUSEKEEPING_SECONDS", wholeNumber({ min: 5, max: 3600, fallback: 60 })),
    tracing: readTracingConfig(read),
    logLevel: read("LOG_LEVEL", {
      expected: `one of ${logLevels.join(", ")}`,
      parse: parseLogLevel,
      fallback: "info" as const,
    }),
  };
  const kid = read("AUTHZ_SIGNING_KID", signingKid);
  const privateJwk = read("AUTHZ_SIGNING_PRIVATE_JWK", privateJwkVariable(kid));
  const publicJwk = read("AUTHZ_SIGNING_PUBLIC_JWK", publicJwkVariable(kid, privateJwk));
  if (problems.length > 0)
    throw new ConfigError(problems.map((problem) => nameSlip(problem, environment, known)));

  const signingKey = Object.freeze({ kid, privateJwk, publicJwk });
  const misspelledVariables = findMisspelledVariables(Object.keys(environment), known);
  return Object.freeze({ ...values, allowInsecureLoopback, signingKey, misspelledVariables }) as Config;
}

/** A variable that is missing may be there, under almost the right name. */
function nameSlip(
  { variable, problem }: ConfigProblem,
  environment: Environment,
  known: ReadonlySet<string>,
): ConfigProblem {
  const given = problem.startsWith("missing.")
    ? findLikelySlip(variable, Object.keys(environment), known)
    : undefined;
  return {
    variable,
    problem: given === undefined ? problem : `${problem} ${given} is set: was it meant to be ${variable}?`,
  };
}

/** What `authz-migrate` needs: the address of the database only. */
export function loadPostgresUrl(
  environment: Environment,
  readSecretFile: ReadSecretFile = (path) => readFileSync(path, "utf8"),
): string {
  try {
    const text = textOf("POSTGRES_URL", environment, readSecretFile);
    if (text !== undefined) return postgresUrl.parse(text);
  } catch (error) {
    const problem = `${(error as Error).message}. Expected: ${postgresUrl.expected}`;
    throw new ConfigError([{ variable: "POSTGRES_URL", problem }]);
  }
  const missing = { variable: "POSTGRES_URL", problem: `missing. Expected: ${postgresUrl.expected}` };
  throw new ConfigError([nameSlip(missing, environment, new Set(["POSTGRES_URL"]))]);
}

function textOf(name: string, environment: Environment, readSecretFile: ReadSecretFile): string | undefined {
  const direct = environment[name];
  const path = environment[`${name}_FILE`];
  if (path === undefined || path === "") return direct === "" ? undefined : direct;
  if (direct !== undefined && direct !== "") throw setTwice(name);
  let text: string;
  try {
    text = readSecretFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unreadable";
    throw new Error(`the file named by ${name}_FILE cannot be read (${code})`, { cause: error });
  }
  text = text.replace(/\r?\n$/, "");
  if (text === "") throw new Error(`the file named by ${name}_FILE is empty`);
  return text;
}

function setTwice(name: string): Error {
  return new Error(`set twice, as ${name} and as ${name}_FILE`);
}
