import { type LogLevel, logLevels } from "../platform/http/log.js";
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import type { PrivateJwk, PublicJwk } from "@authz/dpop";
import { isLoopbackHost, parseCidr } from "../platform/outbound/addresses.js";
import { readServers } from "./database-servers.js";

/** How one environment variable is read. */
export interface Variable<T> {
  readonly expected: string;
  /** Turns the text into the value; throws an `Error` whose message says what is wrong. */
  readonly parse: (text: string) => T;
  readonly fallback?: T;
}

const generate = "Generate: authz-server secrets";

export const postgresUrl: Variable<string> = {
  expected:
    "a PostgreSQL 16 connection URL, postgresql://user:password@host:5432/database, or with several servers, host1:5432,host2:5432; the user must own the database",
  parse(text) {
    readServers(text);
    return text;
  },
};

export function issuerVariable(allowInsecureLoopback: boolean): Variable<string> {
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

export const base64urlSecret: Variable<Buffer> = {
  expected: `32 random bytes as base64url, 43 characters without padding. ${generate}`,
  parse: (text) => decodeExactly(text, "base64url"),
};

export const base64Secret: Variable<Buffer> = {
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

export const signingKid: Variable<string> = {
  expected: `a UUID. ${generate}`,
  parse(text) {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new Error("not a UUID");
    return text;
  },
};

export function privateJwkVariable(kid: string | undefined): Variable<PrivateJwk> {
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

export function publicJwkVariable(
  kid: string | undefined,
  privateJwk: PrivateJwk | undefined,
): Variable<PublicJwk> {
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

export function parseBoolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new Error("neither true nor false");
  return text === "true";
}

export function parseNetworks(text: string): readonly string[] {
  const networks = text.split(",").map((network) => network.trim());
  for (const network of networks) parseCidr(network);
  return Object.freeze(networks);
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error("not a port number");
  return port;
}

/**
 * How long a stopping process still answers. A balancer with three checks, two seconds apart, has noticed by then, and
 * what came last still has two of the nine seconds that a process gives itself.
 */
export const usualDrainSeconds = 7;

export function parseDrainSeconds(text: string): number {
  if (!/^[0-8]$/.test(text)) throw new Error("not a whole number from 0 to 8");
  return Number(text);
}

/** A whole number within bounds. */
export function wholeNumber(bounds: {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}): Variable<number> {
  const { min, max, fallback } = bounds;
  return {
    expected: `a whole number from ${min} to ${max}`,
    parse(text) {
      const number = Number(text);
      if (!/^\d{1,9}$/.test(text) || number < min || number > max)
        throw new Error(`not a whole number from ${min} to ${max}`);
      return number;
    },
    fallback,
  };
}

export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((candidate) => candidate === text);
  if (level === undefined) throw new Error("not a log level");
  return level;
}
