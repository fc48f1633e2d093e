const half = 32;
const order = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");

/** Whether the bytes are r ‖ s with both numbers from 1 to n − 1, n being the order of P-256. */
export function isSignatureInRange(signature: Uint8Array): boolean {
  return signature.length === 2 * half && isScalar(signature, 0) && isScalar(signature, half);
}

/** Turns r ‖ s (64 bytes, already checked) into the DER sequence of two minimal integers. */
export function encodeDerSignature(signature: Uint8Array): Buffer {
  const der = Buffer.allocUnsafe(2 + 2 * (half + 3));
  const end = writeInteger(der, writeInteger(der, 2, signature.subarray(0, half)), signature.subarray(half));
  der[0] = 0x30;
  der[1] = end - 2;
  return der.subarray(0, end);
}

/** Turns the DER sequence that `crypto.sign` returns for P-256 into r ‖ s. */
export function decodeDerSignature(der: Uint8Array): Buffer {
  const signature = Buffer.alloc(2 * half);
  const endOfR = readInteger(der, 2, signature.subarray(0, half));
  readInteger(der, endOfR, signature.subarray(half));
  return signature;
}

function isScalar(bytes: Uint8Array, offset: number): boolean {
  let zero = true;
  for (let index = 0; index < half; index++) {
    if (bytes[offset + index] !== 0) {
      zero = false;
      break;
    }
  }
  if (zero) return false;
  for (let index = 0; index < half; index++) {
    const difference = (bytes[offset + index] as number) - (order[index] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function writeInteger(der: Buffer, offset: number, number: Uint8Array): number {
  let start = 0;
  while (start < half - 1 && number[start] === 0) start++;
  const padding = (number[start] as number) >= 0x80 ? 1 : 0;
  let position = offset;
  der[position++] = 0x02;
  der[position++] = half - start + padding;
  if (padding === 1) der[position++] = 0;
  der.set(number.subarray(start), position);
  return position + half - start;
}

function readInteger(der: Uint8Array, offset: number, target: Buffer): number {
  const length = der[offset + 1] as number;
  const end = offset + 2 + length;
  const start = Math.max(offset + 2, end - half);
  target.set(der.subarray(start, end), half - (end - start));
  return end;
}
