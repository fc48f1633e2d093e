import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { decodeBase64url } from "./base64url.js";
import { JwsError } from "./errors.js";
import type { PrivateJwk, PublicJwk } from "./jwk.js";

const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * Turns a public JWK from anywhere into a key that can only verify ES256.
 *
 * @throws {JwsError} `unsupported_key` (not EC on P-256), `private_key`, `contradicting_key_use` (`use`, `key_ops`
 *   or `alg` say otherwise) or `invalid_key` (malformed, or the point is not on the curve)
 */
export function importPublicJwk(jwk: unknown): KeyObject {
  return createP256PublicKey(readPublicJwk(jwk));
}

/** Creates the key of a JWK that `readPublicJwk` returned; refuses a point off the curve. */
export function createP256PublicKey(key: PublicJwk): KeyObject {
  try {
    return createPublicKey({ key: { ...key }, format: "jwk" });
  } catch {
    throw new JwsError("invalid_key");
  }
}

/**
 * Turns a private JWK into a key that signs ES256, after checking that its public half belongs to it.
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
 * Reads the four members of a public P-256 JWK and checks everything but that the point is on the curve.
 *
 * @throws {JwsError} as `importPublicJwk`
 */
export function readPublicJwk(jwk: unknown): PublicJwk {
  const members = readMembers(jwk);
  if (privateMembers.some((name) => Object.hasOwn(members, name))) throw new JwsError("private_key");
  checkUse(members, "verify");
  return readPoint(members);
}

/** Reads the public half of a P-256 JWK and nothing else. */
export function readPoint(jwk: unknown): PublicJwk {
  const members = readMembers(jwk);
  return { kty: "EC", crv: "P-256", x: readCoordinate(members["x"]), y: readCoordinate(members["y"]) };
}

function readMembers(jwk: unknown): Record<string, unknown> {
  if (typeof jwk !== "object" || jwk === null || Array.isArray(jwk)) throw new JwsError("invalid_key");
  const members = jwk as Record<string, unknown>;
  if (members["kty"] !== "EC" || members["crv"] !== "P-256") throw new JwsError("unsupported_key");
  return members;
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

function checkUse(members: Record<string, unknown>, operation: "sign" | "verify"): void {
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
