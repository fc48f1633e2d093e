import type { PrivateJwk, PublicJwk } from "@authz/dpop";
import { type LogLevel, logLevels } from "../platform/http/log.js";
import { isLoopbackHost, parseCidr } from "../platform/outbound/addresses.js";
import {
  defaultRateLimits,
  parseRateLimits,
  type RateLimits,
  rateLimitNames,
} from "../platform/rate-limits/limits.js";
import { readServers } from "./database-servers.js";
import {
  type MailServer,
  parseMailAddress,
  parseMailServer,
  parseWebhookSecret,
  parseWebhookUrl,
} from "./notifications.js";
import { parsePrivateJwk, parsePublicJwk } from "./signing-key.js";

/** The description of a variable, for operators. */
export interface VariableDocument {
  readonly name: string;
  /** Its purpose, as Markdown. */
  readonly meaning: string;
  /** What may be written there. */
  readonly expected: string;
  /** What counts without it; a variable that has none is required. */
  readonly usual?: string;
}

/** How one variable is read. */
export interface Variable<T> extends VariableDocument {
  /** Turns the text into the value; throws an `Error` whose message says what is wrong, without the value. */
  readonly parse: (text: string, before: Before) => T;
  /** What counts when the variable is not set. Without it, it has to be. */
  readonly fallback?: (before: Before) => T;
}

/** The values read before, as far as they are valid: some variables depend on others. */
export interface Before {
  readonly allowInsecureLoopback?: boolean | undefined;
  readonly signingKid?: string | undefined;
  readonly signingPrivateJwk?: PrivateJwk | undefined;
  readonly port?: number | undefined;
  readonly notifyWebhookUrl?: string | undefined;
  readonly notifyMailServer?: MailServer | undefined;
}

const generate = "Generate: authz-server secrets";

/** Every variable of the server by the member of the configuration that it becomes, in the order in which they are read. */
export const variables = {
  allowInsecureLoopback: flag({
    name: "AUTHZ_ALLOW_INSECURE_LOOPBACK",
    meaning: "Plain HTTP on loopback, for development on one machine.",
    expected: '"true" or "false"; true only for development on this machine',
  }),
  postgresUrl: variable<string>({
    name: "POSTGRES_URL",
    meaning:
      "The database. Its user must own it. Of several servers the one that can be written to is used: see [fail-over](../operate/fail-over.md).",
    expected:
      "a PostgreSQL 16 connection URL, postgresql://user:password@host:5432/database, or with several servers, host1:5432,host2:5432; the user must own the database",
    parse(text) {
      readServers(text);
      return text;
    },
  }),
  // Each background task that runs in one process at a time keeps one connection and works with another.
  poolSize: wholeNumber({
    name: "AUTHZ_POSTGRES_POOL_SIZE",
    meaning: "The most connections to PostgreSQL that a process opens.",
    bounds: { min: 5, max: 500, fallback: 10 },
  }),
  connectSeconds: wholeNumber({
    name: "AUTHZ_POSTGRES_CONNECT_SECONDS",
    meaning: "How long it may take to connect.",
    bounds: { min: 1, max: 60, fallback: 3 },
  }),
  statementSeconds: wholeNumber({
    name: "AUTHZ_POSTGRES_STATEMENT_SECONDS",
    meaning:
      "How long a statement may take, and how long a request waits for a connection. After that the request is answered with 503 and the connection is given up.",
    bounds: { min: 2, max: 300, fallback: 5 },
  }),
  issuer: variable<string>({
    name: "AUTHZ_ISSUER",
    meaning: "The public address of this server. Every token names it, so it stays as it is.",
    expected: "the public HTTPS URL of this server, only scheme and host, e.g. https://auth.example.com",
    parse: parseIssuer,
  }),
  sessionSecret: secret({
    name: "AUTH_SESSION_SECRET",
    meaning: "Protects the sessions of browsers and the proofs of audit events.",
  }),
  setupToken: secret({
    name: "AUTHZ_SETUP_TOKEN",
    meaning: "Opens [setup](../operate/set-up.md) until the installation has an administrator.",
  }),
  credentialEncryptionKey: variable<Buffer>({
    name: "AUTHZ_CREDENTIAL_ENCRYPTION_KEY",
    meaning: "Encrypts the secrets of providers and directories, and the signing keys.",
    expected: `32 random bytes as standard base64, 44 characters with padding. ${generate}`,
    parse: (text) => decodeExactly(text, "base64"),
  }),
  previousCredentialKeys: variable<readonly Buffer[]>({
    name: "AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS",
    meaning:
      "Encryption keys that were replaced and still decrypt: see [encryption keys](../operate/encryption-keys.md#replace-a-key).",
    expected: "keys that were replaced and still open, separated by commas, each 32 bytes as standard base64",
    parse: (text) => Object.freeze(text.split(",").map((key) => decodeExactly(key.trim(), "base64"))),
    fallback: () => [],
    usual: "none",
  }),
  outboundNetworks: networks({
    name: "AUTHZ_OUTBOUND_NETWORKS",
    meaning: "Networks that the server may fetch from although they are not public.",
    expected: "networks in CIDR notation, separated by commas, e.g. 10.20.0.0/16,fd00::/8",
  }),
  host: variable<string>({
    name: "AUTHZ_HOST",
    meaning: "Where the server listens. `::` is every address of the machine, of IPv6 and of IPv4.",
    expected: "an address to listen on",
    parse: (text) => text,
    fallback: () => "0.0.0.0",
    usual: "`0.0.0.0`",
  }),
  port: variable<number>({
    name: "AUTHZ_PORT",
    meaning: "The port where the server listens.",
    expected: "a port number, 0 to 65535",
    parse: parsePort,
    fallback: () => 3000,
    usual: "`3000`",
  }),
  managementPort: variable<number | undefined>({
    name: "AUTHZ_MANAGEMENT_PORT",
    meaning: "Opens `/livez`, `/readyz` and `/metrics` there. Not for the public.",
    expected: "a port number, 0 to 65535, other than AUTHZ_PORT",
    parse(text, { port }) {
      const managementPort = parsePort(text);
      // Otherwise it would only be noticed when the second one is opened, after the migrations.
      if (managementPort === port && port !== 0) throw new Error("the same port as AUTHZ_PORT");
      return managementPort;
    },
    fallback: () => undefined,
    usual: "no such port",
  }),
  drainSeconds: variable<number>({
    name: "AUTHZ_DRAIN_SECONDS",
    meaning:
      "How long a stopping process still accepts requests while load balancers learn that it is going away.",
    expected: "0 to 8",
    parse(text) {
      if (!/^[0-8]$/.test(text)) throw new Error("not a whole number from 0 to 8");
      return Number(text);
    },
    // Nothing stands in front of a server on a developer's machine. Elsewhere a balancer with three checks, two seconds apart, has
    // noticed by then, and what came last still has two of the nine seconds that a process gives itself.
    fallback: ({ allowInsecureLoopback }) => (allowInsecureLoopback === true ? 0 : 7),
    usual: "`7`, or `0` with `AUTHZ_ALLOW_INSECURE_LOOPBACK`",
  }),
  dpopNonces: flag({
    name: "AUTHZ_DPOP_NONCES",
    meaning: "DPoP proofs must carry a nonce of this server (RFC 9449 §8).",
    expected: '"true" or "false"; true asks every client for nonces in its proofs',
  }),
  clockToleranceSeconds: wholeNumber({
    name: "AUTHZ_CLOCK_TOLERANCE_SECONDS",
    meaning:
      "How far ahead the clock of a client may be when it makes a DPoP proof. A proof is remembered until the last second in which it could be used.",
    bounds: { min: 0, max: 300, fallback: 5 },
  }),
  trustedProxies: networks({
    name: "AUTHZ_TRUSTED_PROXIES",
    meaning:
      "Your proxies: their `X-Forwarded-For` says who the client is. Without it the other end of the connection is the client.",
    expected: "networks of proxies in CIDR notation, separated by commas, e.g. 10.0.0.0/8",
  }),
  rateLimits: variable<RateLimits>({
    name: "AUTHZ_RATE_LIMITS",
    meaning: `Requests per minute for some of the limits, such as \`token.address=60000,token.client=600\`, or \`off\`. They are ${defaultsOf(defaultRateLimits)}. \`admin.caller\` is for each session or machine client of the administration API, \`skills.person\` for the skills and the start page of one person, \`scim.provider\` for the SCIM requests of one identity provider, \`agents.grant\` for what one signed-in app does at the address for agents. Three limits always hold, even with \`off\`: how often a person may use a connector, which is a setting of the connector; 600 calls a minute by one person to one service through this server; and how often metadata documents of clients are fetched: for each address of requests, each host and each client that is known.`,
    expected: `"off", or requests per minute such as token.address=60000 for some of ${rateLimitNames.join(", ")}`,
    parse: parseRateLimits,
    fallback: () => defaultRateLimits,
    usual: "as listed",
  }),
  housekeepingSeconds: wholeNumber({
    name: "AUTHZ_HOUSEKEEPING_SECONDS",
    meaning:
      "How often expired records are removed. However many there are, at most a quarter of the time is spent on it.",
    bounds: { min: 5, max: 3600, fallback: 60 },
  }),
  notifyWebhookUrl: variable<string | undefined>({
    name: "AUTHZ_NOTIFY_WEBHOOK_URL",
    meaning:
      "Where the server sends [notifications](../operate/access-requests.md#be-told) of access requests and of permissions that end. A private address needs its network in `AUTHZ_OUTBOUND_NETWORKS`.",
    expected: "an https URL without credentials",
    parse: (text, { allowInsecureLoopback }) => parseWebhookUrl(text, allowInsecureLoopback === true),
    fallback: () => undefined,
    usual: "none are sent",
  }),
  notifyWebhookSecret: variable<Buffer | undefined>({
    name: "AUTHZ_NOTIFY_WEBHOOK_SECRET",
    meaning: "Signs those notifications. Required with `AUTHZ_NOTIFY_WEBHOOK_URL`.",
    expected:
      "whsec_ and 24 to 64 random bytes as standard base64, e.g. from: echo whsec_$(openssl rand -base64 32)",
    parse: parseWebhookSecret,
    fallback: ({ notifyWebhookUrl }) => requiredWith(notifyWebhookUrl, "AUTHZ_NOTIFY_WEBHOOK_URL"),
    usual: "none",
  }),
  notifyMailServer: variable<MailServer | undefined>({
    name: "AUTHZ_NOTIFY_SMTP_URL",
    meaning:
      "The mail server that takes notifications for administrators and for the people whom they concern. `smtp:` is upgraded with STARTTLS or not used.",
    expected:
      "smtps://user:password@host:465 or smtp://user:password@host:587; user and password may be absent",
    parse: (text, { allowInsecureLoopback }) => parseMailServer(text, allowInsecureLoopback === true),
    fallback: () => undefined,
    usual: "no mails",
  }),
  notifyFrom: variable<string | undefined>({
    name: "AUTHZ_NOTIFY_FROM",
    meaning: "The sender of those mails. Required with `AUTHZ_NOTIFY_SMTP_URL`.",
    expected: "a mail address such as authz@example.com",
    parse: parseMailAddress,
    fallback: ({ notifyMailServer }) => requiredWith(notifyMailServer, "AUTHZ_NOTIFY_SMTP_URL"),
    usual: "none",
  }),
  notifyTo: variable<readonly string[]>({
    name: "AUTHZ_NOTIFY_TO",
    meaning: "Who is told of a new access request by mail.",
    expected: "mail addresses, separated by commas",
    parse: (text) => Object.freeze(text.split(",").map((address) => parseMailAddress(address.trim()))),
    fallback: () => [],
    usual: "the first 20 people who have `authz:administer` by an assignment to their address",
  }),
  logLevel: variable<LogLevel>({
    name: "LOG_LEVEL",
    meaning: "How much is logged.",
    expected: `one of ${logLevels.join(", ")}`,
    parse(text) {
      const level = logLevels.find((candidate) => candidate === text);
      if (level === undefined) throw new Error("not a log level");
      return level;
    },
    fallback: () => "info",
    usual: "`info`",
  }),
  signingKid: variable<string>({
    name: "AUTHZ_SIGNING_KID",
    meaning: "The name of the first signing key.",
    expected: `a UUID. ${generate}`,
    parse(text) {
      if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new Error("not a UUID");
      return text;
    },
  }),
  signingPrivateJwk: variable<PrivateJwk>({
    name: "AUTHZ_SIGNING_PRIVATE_JWK",
    meaning:
      "The first signing key. Later ones are in the database: see [rotating keys](../operate/rotate-keys.md).",
    expected: `the JSON of an EC P-256 private JWK with kty, crv, x, y, d. ${generate}`,
    parse: (text, { signingKid }) => parsePrivateJwk(text, signingKid),
  }),
  signingPublicJwk: variable<PublicJwk>({
    name: "AUTHZ_SIGNING_PUBLIC_JWK",
    meaning: "The public half of the first signing key.",
    expected: `the JSON of the public JWK that belongs to AUTHZ_SIGNING_PRIVATE_JWK. ${generate}`,
    parse: (text, { signingKid, signingPrivateJwk }) => parsePublicJwk(text, signingKid, signingPrivateJwk),
  }),
} as const;

/** The values of the variables. */
export type Values = {
  readonly [Name in keyof typeof variables]: (typeof variables)[Name] extends Variable<infer T> ? T : never;
};

// Keeps the type of the value in the declarations above, and nothing else.
function variable<T>(declared: Variable<T>): Variable<T> {
  return declared;
}

function secret(document: Pick<VariableDocument, "name" | "meaning">): Variable<Buffer> {
  return {
    ...document,
    expected: `32 random bytes as base64url, 43 characters without padding. ${generate}`,
    parse: (text) => decodeExactly(text, "base64url"),
  };
}

function flag(document: Omit<VariableDocument, "usual">): Variable<boolean> {
  return { ...document, parse: parseBoolean, fallback: () => false, usual: "`false`" };
}

function networks(document: Omit<VariableDocument, "usual">): Variable<readonly string[]> {
  return {
    ...document,
    parse(text) {
      const parts = text.split(",").map((network) => network.trim());
      for (const network of parts) parseCidr(network);
      return Object.freeze(parts);
    },
    fallback: () => [],
    usual: "none",
  };
}

function wholeNumber({
  bounds: { min, max, fallback },
  ...document
}: Pick<VariableDocument, "name" | "meaning"> & {
  readonly bounds: { readonly min: number; readonly max: number; readonly fallback: number };
}): Variable<number> {
  return {
    ...document,
    expected: `a whole number from ${min} to ${max}`,
    parse(text) {
      const number = Number(text);
      if (!/^\d{1,9}$/.test(text) || number < min || number > max)
        throw new Error(`not a whole number from ${min} to ${max}`);
      return number;
    },
    fallback: () => fallback,
    usual: `\`${fallback}\``,
  };
}

function defaultsOf(limits: Readonly<Record<string, number>>): string {
  return Object.entries(limits)
    .map(([name, perMinute]) => `\`${name}=${perMinute}\``)
    .join(", ");
}

/** @throws Error The other one is there, so this one has to be. */
function requiredWith(other: unknown, name: string): undefined {
  if (other !== undefined) throw new Error(`missing, although ${name} is set`);
}

function parseIssuer(text: string, { allowInsecureLoopback }: Before): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Error("not a URL");
  if (url.protocol === "http:") {
    if (!isLoopbackHost(url.hostname)) throw new Error("plain http is refused outside loopback");
    if (allowInsecureLoopback !== true) {
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
}

/** 32 bytes, in the one spelling that they have. */
export function decodeExactly(text: string, encoding: "base64" | "base64url"): Buffer {
  const bytes = Buffer.from(text, encoding);
  const name = encoding === "base64" ? "standard base64" : "base64url";
  if (bytes.toString(encoding) !== text) throw new Error(`not canonical ${name}`);
  if (bytes.length !== 32) throw new Error(`holds ${bytes.length} bytes instead of 32`);
  return bytes;
}

export function parseBoolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new Error("neither true nor false");
  return text === "true";
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error("not a port number");
  return port;
}
