import { DpopError } from "../errors.js";
import { decodeBase64url, decodeBase64urlInto, decodeSignatureInto } from "../jws/base64url.js";
import { JwsError } from "../jws/errors.js";
import { readPublicJwk } from "../jws/keys.js";
import { hasType, isCompact, parseHeader, requireSignatureLength } from "../jws/parse-compact.js";
import { Scratch } from "../jws/scratch.js";
import { type JsonObject, parseStrictJsonObject } from "../jws/strict-json.js";
import { ProofKey } from "./key-cache.js";
import { readPlainClaims } from "./plain-claims.js";

const maxProofBytes = 4096;
const payloadScratch = new Scratch(maxProofBytes);
const signatureScratch = new Uint8Array(64);

/** A proof whose form is right, before its header is looked at. */
export interface ParsedProof {
  /** The key that was expected, if the proof has its header. */
  readonly expectedKey: ProofKey | undefined;
  readonly claims: JsonObject;
  /** Overwritten by the next proof: it is verified at once, or copied. */
  readonly signature: Uint8Array;
  readonly signingInput: string;
}

/**
 * Cuts and decodes a proof. The header stays encoded, because a known one needs no second look.
 *
 * @param expected - the key that probably made it
 * @throws {JwsError}
 */
export function parseProof(proof: string, expected: ProofKey | undefined): ParsedProof {
  if (typeof proof !== "string") throw new JwsError("not_compact");
  // Only ASCII passes the alphabet checks, so characters are bytes.
  if (proof.length > maxProofBytes) throw new JwsError("too_large");
  const expectedKey =
    expected !== undefined && hasHeader(proof, expected.headerSegment) ? expected : undefined;
  const firstDot = expectedKey?.headerSegment.length ?? proof.indexOf(".");
  const secondDot = proof.indexOf(".", firstDot + 1);
  if (!isCompact(proof, firstDot, secondDot)) throw new JwsError("not_compact");
  return {
    expectedKey,
    claims: parseClaims(proof.slice(firstDot + 1, secondDot)),
    signature: decodeSignature(proof, secondDot + 1),
    signingInput: proof.slice(0, secondDot),
  };
}

function hasHeader(proof: string, headerSegment: string): boolean {
  const end = headerSegment.length;
  // Equality compares words of memory, where startsWith goes from character to character.
  return proof.charCodeAt(end) === 0x2e /* . */ && proof.slice(0, end) === headerSegment;
}

function parseClaims(payloadSegment: string): JsonObject {
  const payload = decodeBase64urlInto(payloadScratch, payloadSegment);
  return readPlainClaims(payload.toString("latin1")) ?? parseStrictJsonObject(payload);
}

function decodeSignature(proof: string, start: number): Uint8Array {
  return decodeSignatureInto(signatureScratch, proof, start)
    ? signatureScratch
    : requireSignatureLength(decodeBase64url(proof.slice(start)));
}

/**
 * Reads the key from a proof's header. `kid`, `jku`, `x5u` and `x5c` are never followed.
 *
 * @throws {DpopError | JwsError}
 */
export function parseProofHeader(headerSegment: string): ProofKey {
  const header = parseHeader(headerSegment);
  if (!hasType(header, "dpop+jwt")) throw new DpopError("wrong_type");
  return new ProofKey(copyOf(headerSegment), readPublicJwk(header["jwk"]));
}

/** The key may be remembered for long, and a slice would keep the whole proof it was cut from in memory. */
function copyOf(segment: string): string {
  return Buffer.from(segment, "latin1").toString("latin1");
}
