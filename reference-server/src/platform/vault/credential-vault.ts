import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Seals credentials that are stored in the database. */
export interface CredentialVault {
  /** Says which key seals, and nothing about it. */
  readonly activeKeyId: string;
  /** Encrypts `secret` for one row, e.g. `identity_providers/{id}`; it opens for no other row. */
  seal(secret: string, row: string): Buffer;
  /** @throws {CredentialUnreadableError} Another key, another row, or altered bytes. */
  open(sealed: Uint8Array, row: string): string;
  /** The id of the key that opens it; `undefined`: none that is configured does. */
  keyIdOf(sealed: Uint8Array, row: string): string | undefined;
}

/** A stored credential does not open with `AUTHZ_CREDENTIAL_ENCRYPTION_KEY`. */
export class CredentialUnreadableError extends Error {
  override readonly name = "CredentialUnreadableError";
}

/** The first byte of everything sealed, so that another format can follow. */
const format = 1;
const nonceLength = 12;
const tagLength = 16;

/**
 * AES-256-GCM; a sealed credential is format byte, nonce, tag, ciphertext.
 *
 * @param previous - keys that were replaced; they only open
 */
export function createCredentialVault(key: Buffer, previous: readonly Buffer[] = []): CredentialVault {
  const keys = [key, ...previous].map((bytes) => ({ id: credentialKeyId(bytes), bytes }));

  const find = (sealed: Uint8Array, row: string): { id: string; text: string } | Error => {
    let failure = new Error("There is no key.");
    for (const { id, bytes } of keys) {
      try {
        return { id, text: openWith(bytes, sealed, row) };
      } catch (error) {
        failure = error as Error;
      }
    }
    return failure;
  };

  return {
    activeKeyId: credentialKeyId(key),
    seal(secret, row) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      cipher.setAAD(Buffer.from(row));
      const ciphertext = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(format), nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, row) {
      const found = find(sealed, row);
      if (!(found instanceof Error)) return found.text;
      const message =
        `The credential of ${row} cannot be decrypted: AUTHZ_CREDENTIAL_ENCRYPTION_KEY is not the one it was ` +
        "stored with, or the row was altered. Set the original key, or name it in " +
        "AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS, or enter the credential again.";
      throw new CredentialUnreadableError(message, { cause: found });
    },
    keyIdOf(sealed, row) {
      const found = find(sealed, row);
      return found instanceof Error ? undefined : found.id;
    },
  };
}

/** Tells keys apart without saying anything about them. */
export function credentialKeyId(key: Buffer): string {
  const digest = createHash("sha256").update("authz credential key id\n").update(key).digest("hex");
  return `env:${digest.slice(0, 16)}`;
}

function openWith(key: Buffer, sealed: Uint8Array, row: string): string {
  const bytes = Buffer.from(sealed);
  if (bytes[0] !== format || bytes.length < 1 + nonceLength + tagLength) throw new Error("unknown format");
  const nonce = bytes.subarray(1, 1 + nonceLength);
  const tag = bytes.subarray(1 + nonceLength, 1 + nonceLength + tagLength);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(row)).setAuthTag(tag);
  const ciphertext = bytes.subarray(1 + nonceLength + tagLength);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
}
