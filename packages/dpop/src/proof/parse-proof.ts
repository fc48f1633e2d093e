import { DpopError } from "../errors.js";
import { decodeBase64url } from "../jws/base64url.js";
import { readPublicJwk } from "../jws/keys.js";
import { decodeSignature, hasType, parseHeader, splitCompact } from "../jws/parse-compact.js";
import { type JsonObject, parseStrictJsonObject } from "../jws/strict-json.js";
import { ProofKey } from "./key-cache.js";

const maxProofBytes = 4096;

/** A well-formed proof. Its header stays encoded, because the key of a known header is cached. */
export interface ParsedProof {
  readonly headerSegment: string;
  readonly claims: JsonObject;
  readonly signature: Buffer;
  readonly signingInput: string;
}

/** @throws {JwsError} */
export function parseProof(proof: string): ParsedProof {
  const { headerSegment, payloadSegment, signatureSegment, signingInput } = splitCompact(
    proof,
    maxProofBytes,
  );
  return {
    headerSegment,
    claims: parseStrictJsonObject(decodeBase64url(payloadSegment)),
    signature: decodeSignature(signatureSegment),
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

/** A copy, because a cached slice would keep the whole proof in memory. */
function copyOf(segment: string): string {
  return Buffer.from(segment, "latin1").toString("latin1");
}
