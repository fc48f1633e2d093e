import { type KeyObject, sign, verify } from "node:crypto";
import { decodeDerSignature, encodeDerSignature, isSignatureInRange } from "./der-signature.js";

/**
 * Verifies an ES256 signature in its JOSE form: 64 bytes, r and s each from 1 to n − 1.
 *
 * `crypto.verify` takes DER, which is the faster encoding on every supported Node version.
 *
 * @param signingInput - the first two segments of the JWS
 * @param key - a key from `importPublicJwk`
 * @see {@link https://www.rfc-editor.org/rfc/rfc7518#section-3.4 | RFC 7518 §3.4}
 */
export function verifyEs256(signingInput: string, signature: Uint8Array, key: KeyObject): boolean {
  if (!isSignatureInRange(signature)) return false;
  return verify("sha256", bytesOf(signingInput), key, encodeDerSignature(signature));
}

/** Keeps several cores busy; more would delay file and name lookups, which use the same threads. */
const maxWaiting = 32;
let waiting = 0;
let verifiedInThisTurn = false;

/**
 * Verifies as {@link verifyEs256} does, in a thread while this process has other signatures to verify.
 *
 * The first one of a turn of the event loop is verified synchronously unless others are running, because a thread would only
 * add latency. So is one that arrives while 32 are running.
 */
export function verifyEs256Concurrently(
  signingInput: string,
  signature: Uint8Array,
  key: KeyObject,
): boolean | Promise<boolean> {
  if (waiting >= maxWaiting || (waiting === 0 && !verifiedInThisTurn)) {
    if (!verifiedInThisTurn) {
      verifiedInThisTurn = true;
      setImmediate(endTurn);
    }
    return verifyEs256(signingInput, signature, key);
  }
  return isSignatureInRange(signature) && verifyInThread(signingInput, signature, key);
}

function endTurn(): void {
  verifiedInThisTurn = false;
}

function verifyInThread(signingInput: string, signature: Uint8Array, key: KeyObject): Promise<boolean> {
  waiting += 1;
  return new Promise((resolve, reject) => {
    verify("sha256", bytesOf(signingInput), key, encodeDerSignature(signature), (error, verified) => {
      waiting -= 1;
      if (error === null) resolve(verified);
      else reject(error);
    });
  });
}

/** Signs with ES256; returns the JOSE form of the signature, r followed by s. */
export function signEs256(signingInput: string, privateKey: KeyObject): Buffer {
  return decodeDerSignature(sign("sha256", bytesOf(signingInput), privateKey)) as Buffer;
}

function bytesOf(ascii: string): Buffer {
  return Buffer.from(ascii, "latin1");
}
