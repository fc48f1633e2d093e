import { readFileSync, X509Certificate } from "./builtins.js";

/** The configuration of the proxy, from its environment. */
export interface ProxyConfig {
  /** Origin of the authorization server: `https`, host, and a port when it is not 443. */
  readonly upstream: string;
  /** PEM certificates that replace the public CA bundle. */
  readonly upstreamCa?: string;
  readonly port: number;
  /** Forwards the token status list, too. */
  readonly forwardStatusList: boolean;
}

/** A missing or malformed variable. Never contains the value, which may be a password. */
export interface ConfigProblem {
  readonly variable: string;
  readonly problem: string;
}

/** The environment is not usable; the message names all offending variables. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ variable, problem }) => `${variable}: ${problem}`).join(" "));
    this.problems = problems;
  }
}

const defaultPort = 8080;

/** The help text of each variable. */
export const variableHelp = {
  AUTHZ_UPSTREAM: "public HTTPS URL of the server; required",
  AUTHZ_UPSTREAM_CA_FILE: "PEM certificates of a private CA, instead of the public ones",
  AUTHZ_FORWARD_STATUS_LIST: "true: forward the token status list, too; false unless given",
  AUTHZ_PROXY_PORT: `port to listen on, ${defaultPort} unless given`,
} as const;
const expected = {
  AUTHZ_UPSTREAM:
    "the public HTTPS URL of the authorization server without path, query or credentials, e.g. https://auth.example.com",
  AUTHZ_UPSTREAM_CA_FILE: "the path of a file with the PEM certificates of a private CA",
  AUTHZ_FORWARD_STATUS_LIST: "true or false",
  AUTHZ_PROXY_PORT: "a port number, 0 to 65535",
};

/**
 * Builds the configuration from environment variables.
 *
 * @throws {ConfigError} At least one variable is missing or malformed.
 */
export function loadConfig(
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string = (path) => readFileSync(path, "utf8"),
): ProxyConfig {
  const problems: ConfigProblem[] = [];
  function read<T>(variable: keyof typeof expected, parse: (text: string) => T): T | undefined {
    try {
      return parse(environment[variable] ?? "");
    } catch (error) {
      const problem = `${(error as Error).message}. Expected: ${expected[variable]}.`;
      problems.push({ variable, problem });
      return undefined;
    }
  }
  const upstream = read("AUTHZ_UPSTREAM", parseUpstream);
  const upstreamCa = read("AUTHZ_UPSTREAM_CA_FILE", (path) => parseCaFile(path, readFile));
  const forwardStatusList = read("AUTHZ_FORWARD_STATUS_LIST", parseSwitch) === true;
  const port = read("AUTHZ_PROXY_PORT", parsePort);
  if (upstream === undefined || port === undefined || problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({
    upstream,
    port,
    forwardStatusList,
    ...(upstreamCa !== undefined && { upstreamCa }),
  });
}

/** Checks the text as well as the parsed URL, because the parser accepts too much. */
function parseUpstream(text: string): string {
  if (text === "") throw new Error("missing");
  if (!URL.canParse(text) || /[\s\\]/.test(text)) throw new Error("not a URL");
  const url = new URL(text);
  if (url.protocol !== "https:") throw new Error("not an https: URL");
  if (text.includes("@")) throw new Error("contains credentials");
  if (text.includes("?")) throw new Error("contains a query");
  if (text.includes("#")) throw new Error("contains a fragment");
  if (!/^https:\/\/[^/]+\/?$/i.test(text)) throw new Error("contains a path");
  return url.origin;
}

function parseCaFile(path: string, readFile: (path: string) => string): string | undefined {
  if (path === "") return undefined;
  let pem: string;
  try {
    pem = readFile(path);
  } catch (error) {
    throw new Error(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`, {
      cause: error,
    });
  }
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (certificates === null) throw new Error("the file holds no PEM certificate");
  if (!certificates.every(isCertificate)) throw new Error("the file holds a certificate that cannot be read");
  return certificates.join("\n");
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function parseSwitch(text: string): boolean {
  if (text === "true") return true;
  if (text === "" || text === "false") return false;
  throw new Error("neither true nor false");
}

function parsePort(text: string): number {
  if (text === "") return defaultPort;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error("not a port number");
  return port;
}
