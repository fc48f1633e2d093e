import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** The first byte of everything sealed, so that another format can follow. */
const format = 1;
const nonceLength = 12;
const tagLength = 16;
const headLength = 1 + nonceLength + tagLength;

/** Bytes of a key, of data and of keys alike. */
export const keyLength = 32;

/** Seals with AES-256-GCM: format byte, nonce, tag, ciphertext. It opens only with the same `context`. */
export function sealBytes(plaintext: Uint8Array, key: Buffer, context: string): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.of(format), nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws Error when the key or the context is another one, or a byte was altered. */
export function openBytes(sealed: Buffer, key: Buffer, context: string): Buffer {
  if (sealed[0] !== format || sealed.length < headLength) throw new Error("unknown format");
  const nonce = sealed.subarray(1, 1 + nonceLength);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(1 + nonceLength, headLength));
  return Buffer.concat([decipher.update(sealed.subarray(headLength)), decipher.final()]);
}

/** What the two layers are bound to. They differ, so that nothing of one layer is ever taken for the other. */
export const contexts = {
  dataKey: (row: string): string => `authz connector data key\n${row}`,
  secret: (row: string): string => `authz connector secret\n${row}`,
} as const;
