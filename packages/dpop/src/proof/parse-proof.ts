import { DpopError } from "../errors.js";
import { decodeBase64url } from "../jws/base64url.js";
import { JwsError } from "../jws/errors.js";
import { readPublicJwk } from "../jws/keys.js";
import { hasType, isCompact, parseHeader, requireSignatureLength } from "../jws/parse-compact.js";
import { Scratch } from "../jws/scratch.js";
import { type JsonObject, parseStrictJsonObject } from "../jws/strict-json.js";
import { ProofKey } from "./key-cache.js";

const maxProofBytes = 4096;
const proofScratch = new Scratch(maxProofBytes);
/** Counts the proofs that went through this memory. */
let parsed = 0;

/** A proof whose form is right, before its header is looked at. Its bytes are there until the next proof is parsed. */
export interface ParsedProof {
  /** The key that was expected, if the proof has its header. */
  readonly expectedKey: ProofKey | undefined;
  readonly claims: JsonObject;
  readonly signature: Uint8Array;
  readonly signingInput: Uint8Array;
  /** Which of the proofs it is that went through this memory. */
  readonly turn: number;
}

/**
 * Cuts and decodes a proof. The header stays encoded, because a known one needs no second look.
 *
 * @param key - that which probably made it
 * @throws {JwsError}
 */
export function parseProof(proof: string, key: ProofKey | undefined): ParsedProof {
  if (typeof proof !== "string") throw new JwsError("not_compact");
  // Only ASCII passes the alphabet checks, so characters are bytes.
  if (proof.length > maxProofBytes) throw new JwsError("too_large");
  const expectedKey = key !== undefined && hasHeader(proof, key.headerSegment) ? key : undefined;
  const firstDot = expectedKey?.headerSegment.length ?? proof.indexOf(".");
  const secondDot = proof.indexOf(".", firstDot + 1);
  if (!isCompact(proof, firstDot, secondDot)) throw new JwsError("not_compact");
  const bytes = proofScratch.writeUtf8(proof);
  if (bytes.length !== proof.length) throw new JwsError("not_base64url");
  parsed += 1;
  return {
    expectedKey,
    claims: parseStrictJsonObject(decodeBase64url(proof.slice(firstDot + 1, secondDot))),
    signature: requireSignatureLength(decodeBase64url(proof.slice(secondDot + 1))),
    signingInput: proofScratch.view(secondDot),
    turn: parsed,
  };
}

/** Whether the bytes of a proof are still there: a clock or a source of nonces could have checked another one meanwhile. */
export function isLatest({ turn }: ParsedProof): boolean {
  return turn === parsed;
}

function hasHeader(proof: string, headerSegment: string): boolean {
  const end = headerSegment.length;
  // Equality compares words of memory, where startsWith goes from character to character.
  return proof.charCodeAt(end) === 0x2e /* . */ && proof.slice(0, end) === headerSegment;
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
