import { type KeyObject, sign, verify } from "node:crypto";
import { decodeDerSignature, encodeDerSignature, isSignatureInRange } from "./der-signature.js";
import { Scratch } from "./scratch.js";

const scratch = new Scratch(4096);

/**
 * Verifies an ES256 signature in its JOSE form: 64 bytes, r and s each from 1 to n − 1.
 *
 * `crypto.verify` takes DER, which is the faster encoding on every supported Node version.
 *
 * @param signingInput - ASCII, the first two segments of the JWS
 * @param key - a key from `importPublicJwk`
 * @see {@link https://www.rfc-editor.org/rfc/rfc7518#section-3.4 | RFC 7518 §3.4}
 */
export function verifyEs256(signingInput: string, signature: Uint8Array, key: KeyObject): boolean {
  if (!isSignatureInRange(signature)) return false;
  return verify("sha256", bytesOf(signingInput), key, encodeDerSignature(signature));
}

/** Signs with ES256 and returns the JOSE form of the signature, r followed by s. */
export function signEs256(signingInput: string, privateKey: KeyObject): Buffer {
  return decodeDerSignature(sign("sha256", bytesOf(signingInput), privateKey)) as Buffer;
}

/** The bytes of an ASCII string, which are used at once. */
function bytesOf(ascii: string): Buffer {
  return ascii.length > scratch.size ? Buffer.from(ascii, "latin1") : scratch.writeAscii(ascii);
}
