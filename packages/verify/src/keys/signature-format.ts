const half = 32;

/**
 * The r ‖ s form of an ECDSA signature on P-256 that came in that form or as DER; undefined when it is neither.
 *
 * A DER signature of exactly 64 bytes would be taken for r ‖ s. It needs eight leading zero bytes, and the signature
 * is verified before use anyway.
 */
export function toJoseSignature(signature: Uint8Array): Buffer | undefined {
  if (signature.length === 2 * half) return Buffer.from(signature);
  const r = readInteger(signature, 2);
  const s = r === undefined ? undefined : readInteger(signature, r.end);
  const isSequence =
    signature[0] === 0x30 && signature[1] === signature.length - 2 && s?.end === signature.length;
  if (!isSequence || r === undefined || s === undefined) return undefined;
  return Buffer.concat([r.number, s.number]);
}

function readInteger(der: Uint8Array, offset: number): { number: Buffer; end: number } | undefined {
  const length = der[offset + 1];
  if (der[offset] !== 0x02 || length === undefined || length === 0) return undefined;
  const end = offset + 2 + length;
  const digits = der.subarray(der[offset + 2] === 0 ? offset + 3 : offset + 2, end);
  if (end > der.length || digits.length > half) return undefined;
  return { number: Buffer.concat([Buffer.alloc(half - digits.length), digits]), end };
}
