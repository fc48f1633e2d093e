import { decodeBase64url } from "./base64url.js";
import { JwsError } from "./errors.js";
import { type JsonObject, parseStrictJsonObject } from "./strict-json.js";

/** The parts of a well-formed compact JWS. Nothing in it is verified yet. */
export interface ParsedJws {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** 64 bytes, r followed by s. */
  readonly signature: Buffer;
  /** What the signature covers: the first two segments with their dot. */
  readonly signingInput: string;
  /** The first segment as received. */
  readonly headerSegment: string;
}

/** The three segments of a compact JWS, still encoded. */
export interface CompactSegments {
  readonly headerSegment: string;
  readonly payloadSegment: string;
  readonly signatureSegment: string;
  readonly signingInput: string;
}

/**
 * Parses a compact JWS that claims to be signed with ES256. The signature is not verified here.
 *
 * Refused: more than `maxBytes`, anything but three canonical base64url segments, header or payload that is not a
 * strict JSON object, an `alg` other than `ES256`, `crit` and `b64`, a signature that is not 64 bytes long.
 *
 * @throws {JwsError} `reason` names the broken rule.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7515#section-5.2 | RFC 7515 §5.2}
 */
export function parseCompactJws(jws: string, limits: { maxBytes: number }): ParsedJws {
  const segments = splitCompact(jws, limits.maxBytes);
  return {
    header: parseHeader(segments.headerSegment),
    payload: parseStrictJsonObject(decodeBase64url(segments.payloadSegment)),
    signature: decodeSignature(segments.signatureSegment),
    signingInput: segments.signingInput,
    headerSegment: segments.headerSegment,
  };
}

/**
 * Splits a compact JWS at its two dots, after the size check. The segments are not decoded; for algorithms other than ES256.
 *
 * @throws {JwsError} `too_large` or `not_compact`
 */
export function splitCompact(jws: string, maxBytes: number): CompactSegments {
  if (typeof jws !== "string") throw new JwsError("not_compact");
  // Only ASCII passes the alphabet check later, so characters are bytes.
  if (jws.length > maxBytes) throw new JwsError("too_large");
  const firstDot = jws.indexOf(".");
  const secondDot = jws.indexOf(".", firstDot + 1);
  if (!isCompact(jws, firstDot, secondDot)) throw new JwsError("not_compact");
  return {
    headerSegment: jws.slice(0, firstDot),
    payloadSegment: jws.slice(firstDot + 1, secondDot),
    signatureSegment: jws.slice(secondDot + 1),
    signingInput: jws.slice(0, secondDot),
  };
}

/** Whether these are the only two dots, with text around each. */
function isCompact(jws: string, firstDot: number, secondDot: number): boolean {
  return (
    firstDot > 0 &&
    secondDot > firstDot + 1 &&
    secondDot < jws.length - 1 &&
    !jws.includes(".", secondDot + 1)
  );
}

/** Decodes a header and checks the rules that all our JWSs share. */
export function parseHeader(headerSegment: string): JsonObject {
  const header = parseStrictJsonObject(decodeBase64url(headerSegment));
  if (header["alg"] !== "ES256") throw new JwsError("unsupported_algorithm");
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "b64")) throw new JwsError("critical_header");
  return header;
}

/**
 * Whether a header declares the expected type. Case is ignored, and `application/` may be left out.
 *
 * @param expected - lower case and without `application/`, such as `at+jwt`
 * @see {@link https://www.rfc-editor.org/rfc/rfc7515#section-4.1.9 | RFC 7515 §4.1.9}
 */
export function hasType(header: JsonObject, expected: string): boolean {
  const typ = header["typ"];
  if (typ === expected) return true;
  if (typeof typ !== "string") return false;
  const lowered = typ.toLowerCase();
  return (lowered.startsWith("application/") ? lowered.slice("application/".length) : lowered) === expected;
}

/** Decodes the signature segment of an ES256 JWS. */
export function decodeSignature(signatureSegment: string): Buffer {
  const signature = decodeBase64url(signatureSegment);
  if (signature.length !== 64) throw new JwsError("malformed_signature");
  return signature;
}
