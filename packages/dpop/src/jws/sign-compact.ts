import type { KeyObject } from "node:crypto";
import { signEs256 } from "./es256.js";
import type { PublicJwk } from "./keys.js";

/** The header members of our own JWTs besides `alg`. */
export interface JwsHeader {
  typ: string;
  kid?: string;
  jwk?: PublicJwk;
}

/**
 * Signs a payload as a compact JWS with ES256; `alg` is added to the header.
 *
 * @param privateKey - a key from `importPrivateJwk`
 */
export function signCompactJws(header: JwsHeader, payload: object, privateKey: KeyObject): string {
  return signSegments(encodeSegment({ alg: "ES256", ...header }), payload, privateKey);
}

/** The input of an ES256 signature, for a key that signs elsewhere. Append a dot and the signature as base64url. */
export function encodeSigningInput(header: JwsHeader, payload: object): string {
  return `${encodeSegment({ alg: "ES256", ...header })}.${encodeSegment(payload)}`;
}

/** Signs a payload with an encoded header. */
export function signSegments(headerSegment: string, payload: object, privateKey: KeyObject): string {
  const signingInput = `${headerSegment}.${encodeSegment(payload)}`;
  return `${signingInput}.${signEs256(signingInput, privateKey).toString("base64url")}`;
}

/** Encodes a JSON value as one segment of a compact JWS. */
export function encodeSegment(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
