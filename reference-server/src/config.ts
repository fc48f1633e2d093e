import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import type { PrivateJwk, PublicJwk } from "@authz/dpop";
import { parseCidr } from "./outbound/addresses.js";

/** The ES256 key that the environment brings. */
export interface SigningKey {
  readonly kid: string;
  readonly privateJwk: PrivateJwk;
  readonly publicJwk: PublicJwk;
}

export type LogLevel = (typeof logLevels)[number];

/** Everything the server knows from its environment. Frozen; nothing else reads `process.env`. */
export interface Config {
  readonly postgresUrl: string;
  /** The public origin of this server, without a slash at the end. */
  readonly issuer: string;
  readonly sessionSecret: Buffer;
  readonly setupToken: Buffer;
  readonly credentialEncryptionKey: Buffer;
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
  readonly logLevel: LogLevel;
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

interface Variable<T> {
  readonly expected: string;
  /** Turns the text into the value; throws an `Error` whose message says what is wrong. */
  readonly parse: (text: string) => T;
  readonly fallback?: T;
}

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
const generate = "Generate: authz-server secrets";

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
  const read = <T>(name: string, variable: Variable<T>): T | undefined => {
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
    issuer: read("AUTHZ_ISSUER", issuerVariable(allowInsecureLoopback ?? false)),
    sessionSecret: read("AUTH_SESSION_SECRET", base64urlSecret),
    setupToken: read("AUTHZ_SETUP_TOKEN", base64urlSecret),
    credentialEncryptionKey: read("AUTHZ_CREDENTIAL_ENCRYPTION_KEY", base64Secret),
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
    drainSeconds: read("AUTHZ_DRAIN_SECONDS", { expected: "0 to 8", parse: parseDrainSeconds, fallback: 0 }),
    logLevel: read("LOG_LEVEL", {
      expected: `one of ${logLevels.join(", ")}`,
      parse: parseLogLevel,
      fallback: "info" as const,
    }),
  };
  const kid = read("AUTHZ_SIGNING_KID", signingKid);
  const privateJwk = read("AUTHZ_SIGNING_PRIVATE_JWK", privateJwkVariable(kid));
  const publicJwk = read("AUTHZ_SIGNING_PUBLIC_JWK", publicJwkVariable(kid, privateJwk));
  if (problems.length > 0) throw new ConfigError(problems);

  const signingKey = Object.freeze({ kid, privateJwk, publicJwk });
  return Object.freeze({ ...values, allowInsecureLoopback, signingKey }) as Config;
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
  throw new ConfigError([
    { variable: "POSTGRES_URL", problem: `missing. Expected: ${postgresUrl.expected}` },
  ]);
}

function textOf(name: string, environment: Environment, readSecretFile: ReadSecretFile): string | undefined {
  const direct = environment[name];
  const path = environment[`${name}_FILE`];
  if (path === undefined || path === "") return direct === "" ? undefined : direct;
  if (direct !== undefined && direct !== "") throw new Error(`set twice, as ${name} and as ${name}_FILE`);
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

const postgresUrl: Variable<string> = {
  expected:
    "a PostgreSQL 16 connection URL, postgresql://user:password@host:5432/database; the user must own the database",
  parse(text) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined) throw new Error("not a URL");
    if (url.protocol !== "postgres:" && url.protocol !== "postgresql:")
      throw new Error("not a postgresql: URL");
    if (url.pathname.length < 2) throw new Error("names no database");
    return text;
  },
};

function issuerVariable(allowInsecureLoopback: boolean): Variable<string> {
  return {
    expected: "the public HTTPS URL of this server, only scheme and host, e.g. https://auth.example.com",
    parse(text) {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined) throw new Error("not a URL");
      if (url.protocol === "http:") {
        if (!isLoopbackHost(url.hostname)) throw new Error("plain http is refused outside loopback");
        if (!allowInsecureLoopback) {
          throw new Error("plain http on loopback needs AUTHZ_ALLOW_INSECURE_LOOPBACK=true");
        }
      } else if (url.protocol !== "https:") {
        throw new Error("not an https: URL");
      }
      if (url.username !== "" || url.password !== "") throw new Error("contains credentials");
      if (text.includes("?") || text.includes("#")) throw new Error("contains a query or fragment");
      if (url.pathname !== "/") throw new Error("contains a path");
      if (text !== url.origin) {
        throw new Error("not in its plain form (lower case, no default port, no slash at the end)");
      }
      return text;
    },
  };
}

/** Whether a URL's host name is a loopback address or `localhost`. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

const base64urlSecret: Variable<Buffer> = {
  expected: `32 random bytes as base64url, 43 characters without padding. ${generate}`,
  parse: (text) => decodeExactly(text, "base64url"),
};

const base64Secret: Variable<Buffer> = {
  expected: `32 random bytes as standard base64, 44 characters with padding. ${generate}`,
  parse: (text) => decodeExactly(text, "base64"),
};

function decodeExactly(text: string, encoding: "base64" | "base64url"): Buffer {
  const bytes = Buffer.from(text, encoding);
  const name = encoding === "base64" ? "standard base64" : "base64url";
  if (bytes.toString(encoding) !== text) throw new Error(`not canonical ${name}`);
  if (bytes.length !== 32) throw new Error(`holds ${bytes.length} bytes instead of 32`);
  return bytes;
}

const signingKid: Variable<string> = {
  expected: `a UUID. ${generate}`,
  parse(text) {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new Error("not a UUID");
    return text;
  },
};

function privateJwkVariable(kid: string | undefined): Variable<PrivateJwk> {
  return {
    expected: `the JSON of an EC P-256 private JWK with kty, crv, x, y, d. ${generate}`,
    parse(text) {
      const jwk = parseJwk(text, kid);
      const { d } = jwk;
      if (typeof d !== "string" || !isCoordinate(d)) throw new Error('has no 32-byte member "d"');
      const key: PrivateJwk = { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y, d };
      if (!pairMatches(key, key)) throw new Error("is not a usable key: d does not belong to x and y");
      return Object.freeze(key);
    },
  };
}

function publicJwkVariable(kid: string | undefined, privateJwk: PrivateJwk | undefined): Variable<PublicJwk> {
  return {
    expected: `the JSON of the public JWK that belongs to AUTHZ_SIGNING_PRIVATE_JWK. ${generate}`,
    parse(text) {
      const jwk = parseJwk(text, kid);
      if ("d" in jwk) throw new Error('contains the private member "d"');
      const key: PublicJwk = { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y };
      if (privateJwk !== undefined && !pairMatches(privateJwk, key)) {
        throw new Error("does not belong to AUTHZ_SIGNING_PRIVATE_JWK");
      }
      return Object.freeze(key);
    },
  };
}

function parseJwk(text: string, kid: string | undefined): { x: string; y: string; d?: unknown } {
  let jwk: unknown;
  try {
    jwk = JSON.parse(text);
  } catch {
    // The parser's own message would quote the value.
    throw new Error("not JSON");
  }
  if (typeof jwk !== "object" || jwk === null || Array.isArray(jwk)) throw new Error("not a JSON object");
  const members = jwk as Record<string, unknown>;
  if (members.kty !== "EC" || members.crv !== "P-256") throw new Error("not an EC key on P-256");
  const { x, y } = members;
  if (typeof x !== "string" || typeof y !== "string" || !isCoordinate(x) || !isCoordinate(y)) {
    throw new Error('has no 32-byte members "x" and "y"');
  }
  if (members.alg !== undefined && members.alg !== "ES256") throw new Error('has an "alg" other than ES256');
  if (members.use !== undefined && members.use !== "sig") throw new Error('has a "use" other than sig');
  if (members.kid !== undefined && kid !== undefined && members.kid !== kid) {
    throw new Error('has a "kid" other than AUTHZ_SIGNING_KID');
  }
  return "d" in members ? { x, y, d: members.d } : { x, y };
}

function isCoordinate(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  return bytes.length === 32 && bytes.toString("base64url") === text;
}

function pairMatches(privateJwk: PrivateJwk, publicJwk: PublicJwk): boolean {
  const { kty, crv, x, y } = publicJwk;
  try {
    const probe = Buffer.from("authz");
    const signature = sign("sha256", probe, createPrivateKey({ key: { ...privateJwk }, format: "jwk" }));
    const publicKey = createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
    return verify("sha256", probe, publicKey, signature);
  } catch {
    return false;
  }
}

function parseBoolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new Error("neither true nor false");
  return text === "true";
}

function parseNetworks(text: string): readonly string[] {
  const networks = text.split(",").map((network) => network.trim());
  for (const network of networks) parseCidr(network);
  return Object.freeze(networks);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error("not a port number");
  return port;
}

function parseDrainSeconds(text: string): number {
  if (!/^[0-8]$/.test(text)) throw new Error("not a whole number from 0 to 8");
  return Number(text);
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((candidate) => candidate === text);
  if (level === undefined) throw new Error("not a log level");
  return level;
}
