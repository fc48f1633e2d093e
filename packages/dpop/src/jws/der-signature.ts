const half = 32;
const order = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");

// Tag, length and at most 33 bytes for each of the two integers, after the header of the sequence.
const maxDerLength = 2 + 2 * (2 + half + 1);

/** Whether the bytes are r ‖ s with both numbers from 1 to n − 1, n being the order of P-256. */
export function isSignatureInRange(signature: Uint8Array): boolean {
  return signature.length === 2 * half && isScalar(signature, 0) && isScalar(signature, half);
}

/** Encodes r ‖ s (64 bytes, already checked) as a DER sequence of two minimal integers. */
export function encodeDerSignature(signature: Uint8Array): Buffer {
  const der = Buffer.allocUnsafe(maxDerLength);
  const end = writeInteger(der, 2, signature.subarray(0, half));
  const length = writeInteger(der, end, signature.subarray(half));
  der[0] = 0x30;
  der[1] = length - 2;
  return der.subarray(0, length);
}

/**
 * Converts an ECDSA signature on P-256, r ‖ s or DER, to r ‖ s; undefined when it is neither.
 *
 * A DER signature of exactly 64 bytes would be mistaken for r ‖ s. That takes eight leading zero bytes, which does not
 * happen by chance; verify a signature from elsewhere before you use it.
 */
export function toJoseSignature(signature: Uint8Array): Buffer | undefined {
  return signature.length === 2 * half ? Buffer.from(signature) : decodeDerSignature(signature);
}

/** Decodes a DER sequence of two integers to r ‖ s; undefined when it is none. */
export function decodeDerSignature(encoded: Uint8Array): Buffer | undefined {
  if (encoded[0] !== 0x30 || encoded[1] !== encoded.length - 2) return undefined;
  const signature = Buffer.alloc(2 * half);
  const endOfR = readInteger(encoded, 2, signature.subarray(0, half));
  const end = endOfR === undefined ? undefined : readInteger(encoded, endOfR, signature.subarray(half));
  return end === encoded.length ? signature : undefined;
}

function isScalar(bytes: Uint8Array, offset: number): boolean {
  return !isZero(bytes, offset) && isBelowOrder(bytes, offset);
}

function isZero(bytes: Uint8Array, offset: number): boolean {
  for (let index = 0; index < half; index++) {
    if (bytes[offset + index] !== 0) return false;
  }
  return true;
}

function isBelowOrder(bytes: Uint8Array, offset: number): boolean {
  for (let index = 0; index < half; index++) {
    const difference = (bytes[offset + index] as number) - (order[index] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Writes a number as a DER integer to `position` of `der`; returns where it ends. */
function writeInteger(der: Buffer, position: number, number: Uint8Array): number {
  let start = 0;
  while (number[start] === 0) start++;
  const padding = (number[start] as number) >= 0x80 ? 1 : 0;
  der[position] = 0x02;
  der[position + 1] = half - start + padding;
  der[position + 2] = 0;
  der.set(number.subarray(start), position + 2 + padding);
  return position + 2 + padding + half - start;
}

/** Copies the integer at `offset` to the end of `target`, which is all zeros; returns where it ends. */
function readInteger(encoded: Uint8Array, offset: number, target: Buffer): number | undefined {
  const length = encoded[offset + 1];
  if (encoded[offset] !== 0x02 || length === undefined || length === 0) return undefined;
  const end = offset + 2 + length;
  const start = encoded[offset + 2] === 0 ? offset + 3 : offset + 2;
  if (end > encoded.length || end - start > half) return undefined;
  target.set(encoded.subarray(start, end), half - (end - start));
  return end;
}
