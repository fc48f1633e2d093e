import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Seals credentials that are stored in the database. */
export interface CredentialVault {
  /** Encrypts `secret` for one row, e.g. `identity_providers/{id}`; it opens for no other row. */
  seal(secret: string, row: string): Buffer;
  /** @throws {CredentialUnreadableError} Another key, another row, or altered bytes. */
  open(sealed: Uint8Array, row: string): string;
}

/** A stored credential does not open with `AUTHZ_CREDENTIAL_ENCRYPTION_KEY`. */
export class CredentialUnreadableError extends Error {
  override readonly name = "CredentialUnreadableError";
}

/** The first byte of everything sealed, so that another format can follow. */
const format = 1;
const nonceLength = 12;
const tagLength = 16;

/** AES-256-GCM; a sealed credential is format byte, nonce, tag, ciphertext. */
export function createCredentialVault(key: Buffer): CredentialVault {
  return {
    seal(secret, row) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      cipher.setAAD(Buffer.from(row));
      const ciphertext = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(format), nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, row) {
      try {
        const bytes = Buffer.from(sealed);
        if (bytes[0] !== format || bytes.length < 1 + nonceLength + tagLength)
          throw new Error("unknown format");
        const nonce = bytes.subarray(1, 1 + nonceLength);
        const tag = bytes.subarray(1 + nonceLength, 1 + nonceLength + tagLength);
        const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength });
        decipher.setAAD(Buffer.from(row)).setAuthTag(tag);
        const ciphertext = bytes.subarray(1 + nonceLength + tagLength);
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
      } catch (cause) {
        const message =
          `The credential of ${row} cannot be decrypted: AUTHZ_CREDENTIAL_ENCRYPTION_KEY is not the one it was ` +
          "stored with, or the row was altered. Set the original key, or enter the credential again.";
        throw new CredentialUnreadableError(message, { cause });
      }
    },
  };
}
