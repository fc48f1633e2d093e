import { createECDH, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { decodeBase64url, sha256Base64url } from "./base64url.js";
import { JwsError } from "./errors.js";
import { isJsonObject, type JsonObject } from "./strict-json.js";

/** A public P-256 key as a JSON Web Key. */
export interface PublicJwk {
  kty: "EC";
  crv: "P-256";
  /** 32 bytes, base64url. */
  x: string;
  /** 32 bytes, base64url. */
  y: string;
}

/** A private P-256 key as a JSON Web Key. Keep it secret. */
export interface PrivateJwk extends PublicJwk {
  /** 32 bytes, base64url. */
  d: string;
}

/** A P-256 key pair for ES256. */
export interface Es256KeyPair {
  privateJwk: PrivateJwk;
  publicJwk: PublicJwk;
}

const generate = promisify(generateKeyPair);

const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * Imports an untrusted public JWK as a key that can only verify ES256.
 *
 * @throws {JwsError} `unsupported_key` (not EC on P-256), `private_key`, `contradicting_key_use` (`use`, `key_ops`
 *   or `alg` forbid it) or `invalid_key` (malformed, or the point is not on the curve)
 */
export function importPublicJwk(jwk: unknown): KeyObject {
  return createP256PublicKey(readPublicJwk(jwk));
}

/** Imports a JWK from `readPublicJwk`. @throws {JwsError} The point is off the curve. */
export function createP256PublicKey(key: PublicJwk): KeyObject {
  try {
    return createPublicKey({ key: { ...key }, format: "jwk" });
  } catch {
    throw new JwsError("invalid_key");
  }
}

/**
 * Imports a private JWK as a key that signs ES256, after checking that its public half belongs to it.
 *
 * @throws {JwsError} `unsupported_key`, `contradicting_key_use` or `invalid_key`
 */
export function importPrivateJwk(jwk: unknown): KeyObject {
  const members = readMembers(jwk);
  checkUse(members, "sign");
  const key: PrivateJwk = { ...readPoint(members), d: readCoordinate(members["d"]) };
  try {
    if (derivePublicPoint(key.d) !== `${key.x}.${key.y}`) throw new JwsError("invalid_key");
    return createPrivateKey({ key: { ...key }, format: "jwk" });
  } catch {
    throw new JwsError("invalid_key");
  }
}

/**
 * Reads the four members of a public P-256 JWK. Checks everything except that the point is on the curve.
 *
 * @throws {JwsError} as `importPublicJwk`
 */
export function readPublicJwk(jwk: unknown): PublicJwk {
  const members = readMembers(jwk);
  if (privateMembers.some((name) => Object.hasOwn(members, name))) throw new JwsError("private_key");
  checkUse(members, "verify");
  return readPoint(members);
}

/** Generates a fresh P-256 key pair for proofs or for signing tokens. */
export async function generateEs256KeyPair(): Promise<Es256KeyPair> {
  const { privateKey } = await generate("ec", { namedCurve: "P-256" });
  const { x, y, d } = privateKey.export({ format: "jwk" }) as { x: string; y: string; d: string };
  return {
    privateJwk: { kty: "EC", crv: "P-256", x, y, d },
    publicJwk: { kty: "EC", crv: "P-256", x, y },
  };
}

/**
 * The RFC 7638 thumbprint of a public P-256 key, as base64url: the value of `cnf.jkt` and `dpop_jkt`.
 *
 * @param jwk - other members, such as `kid` or `use`, do not change the result
 * @throws {JwsError} The value is not a P-256 key.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7638#section-3 | RFC 7638 §3}
 */
export function jwkThumbprint(jwk: PublicJwk): string {
  return thumbprintOf(readPoint(jwk));
}

/** The thumbprint of a key that `readPoint` returned; its members need no escaping. */
export function thumbprintOf({ x, y }: PublicJwk): string {
  return sha256Base64url(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`);
}

/** Reads only the public half of a P-256 JWK. */
export function readPoint(jwk: unknown): PublicJwk {
  const members = readMembers(jwk);
  return { kty: "EC", crv: "P-256", x: readCoordinate(members["x"]), y: readCoordinate(members["y"]) };
}

function readMembers(jwk: unknown): JsonObject {
  if (!isJsonObject(jwk)) throw new JwsError("invalid_key");
  if (jwk["kty"] !== "EC" || jwk["crv"] !== "P-256") throw new JwsError("unsupported_key");
  return jwk;
}

function readCoordinate(value: unknown): string {
  if (typeof value !== "string" || value.length !== 43) throw new JwsError("invalid_key");
  try {
    decodeBase64url(value);
  } catch {
    throw new JwsError("invalid_key");
  }
  return value;
}

function checkUse(members: JsonObject, operation: "sign" | "verify"): void {
  const { use, key_ops: keyOps, alg } = members;
  const allowed =
    (use === undefined || use === "sig") &&
    (alg === undefined || alg === "ES256") &&
    (keyOps === undefined || (Array.isArray(keyOps) && keyOps.includes(operation)));
  if (!allowed) throw new JwsError("contradicting_key_use");
}

function derivePublicPoint(d: string): string {
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(Buffer.from(d, "base64url"));
  const point = ecdh.getPublicKey();
  return `${point.toString("base64url", 1, 33)}.${point.toString("base64url", 33)}`;
}
