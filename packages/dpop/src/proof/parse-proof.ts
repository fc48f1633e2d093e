import { DpopError } from "../errors.js";
import { decodeBase64urlInto } from "../jws/base64url.js";
import { readPublicJwk } from "../jws/keys.js";
import { hasType, parseHeader, requireSignatureLength, splitCompact } from "../jws/parse-compact.js";
import { Scratch } from "../jws/scratch.js";
import { type JsonObject, parseStrictJsonObject } from "../jws/strict-json.js";
import { ProofKey } from "./key-cache.js";

const maxProofBytes = 4096;
const payloadScratch = new Scratch(maxProofBytes);
const signatureScratch = new Scratch(maxProofBytes);

/** A proof whose form is right, before its header is looked at. */
export interface ParsedProof {
  readonly headerSegment: string;
  readonly claims: JsonObject;
  /** Overwritten by the next proof: it is verified at once. */
  readonly signature: Buffer;
  readonly signingInput: string;
}

/**
 * Cuts and decodes a proof. The header stays encoded, because a known one needs no second look.
 *
 * @throws {JwsError}
 */
export function parseProof(proof: string): ParsedProof {
  const { headerSegment, payloadSegment, signatureSegment, signingInput } = splitCompact(
    proof,
    maxProofBytes,
  );
  return {
    headerSegment,
    claims: parseStrictJsonObject(decodeBase64urlInto(payloadScratch, payloadSegment)),
    signature: requireSignatureLength(decodeBase64urlInto(signatureScratch, signatureSegment)),
    signingInput,
  };
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
