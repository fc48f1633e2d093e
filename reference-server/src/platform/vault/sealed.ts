import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { WrappedKey } from "./key-ring.js";

const nonceLength = 12;
const tagLength = 16;

/** Bytes of a key, of data and of keys alike. */
export const keyLength = 32;

/** Encrypts with AES-256-GCM: nonce, tag, ciphertext. It opens only with the same `context`. */
export function sealBytes(plaintext: Uint8Array, key: Buffer, context: string): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws Error when the key or the context is another one, or a byte was altered. */
export function openBytes(sealed: Buffer, key: Buffer, context: string): Buffer {
  const headLength = nonceLength + tagLength;
  if (sealed.length < headLength) throw new Error("too short");
  const nonce = sealed.subarray(0, nonceLength);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(nonceLength, headLength));
  return Buffer.concat([decipher.update(sealed.subarray(headLength)), decipher.final()]);
}

/** The associated data of the two layers. They differ, so that a wrapped key never passes for a secret. */
export const contexts = {
  dataKey: (row: string): string => `authz data key\n${row}`,
  secret: (row: string): string => `authz secret\n${row}`,
} as const;

/** The parts of a sealed value: the ciphertext, and the wrapped data key that opens it. */
export interface SealedParts {
  readonly key: WrappedKey;
  readonly ciphertext: Buffer;
}

/** The first byte of every sealed value, so that another format can follow. */
const format = 1;
/** Format, and two bytes each for the lengths of the key's id and of the wrapped key. */
const headLength = 5;

/** Writes the one stored format; `sealed_key_id` in 0001_schema.sql reads the key's id from it. */
export function packSealed({ key: { keyId, wrapped }, ciphertext }: SealedParts): Buffer {
  const id = Buffer.from(keyId);
  const head = Buffer.alloc(headLength);
  head.writeUInt8(format, 0);
  head.writeUInt16BE(id.length, 1);
  head.writeUInt16BE(wrapped.length, 3);
  return Buffer.concat([head, id, wrapped, ciphertext]);
}

/** The id of the key that sealed a value; empty, as in the database, when it is not a sealed value. */
export function sealedKeyId(sealed: Uint8Array): string {
  return unpackSealed(sealed)?.key.keyId ?? "";
}

/** `undefined`: it is not in the format. */
export function unpackSealed(sealed: Uint8Array): SealedParts | undefined {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < headLength || bytes[0] !== format) return undefined;
  const wrappedFrom = headLength + bytes.readUInt16BE(1);
  const ciphertextFrom = wrappedFrom + bytes.readUInt16BE(3);
  if (bytes.length < ciphertextFrom) return undefined;
  const keyId = bytes.toString("latin1", headLength, wrappedFrom);
  const wrapped = bytes.subarray(wrappedFrom, ciphertextFrom);
  return { key: { keyId, wrapped }, ciphertext: bytes.subarray(ciphertextFrom) };
}
