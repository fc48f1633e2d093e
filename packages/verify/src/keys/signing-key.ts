import type { PrivateJwk, PublicJwk } from "@authz/dpop";

/** An ES256 key pair with its identifier. */
export interface SigningKey {
  readonly kid: string;
  readonly privateJwk: PrivateJwk;
  readonly publicJwk: PublicJwk;
}

/** A public signing key as the key set publishes it. */
export interface PublishedKey extends PublicJwk {
  readonly kid: string;
}

/** A key that signs somewhere else, such as in a KMS or in Vault. */
export interface RemoteSigner {
  readonly kid: string;
  /**
   * Signs the bytes with ECDSA on P-256 and SHA-256.
   *
   * The signature may be r ‖ s (64 bytes) or DER, which is what most key services return.
   */
  sign(signingInput: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/**
 * Supplies signing keys from outside. Both methods are called often and should answer from memory.
 *
 * To rotate without a refused request, publish the new key in `jwks()` everywhere before `current()` returns it, and
 * keep the old one published for ten minutes (the life of an access token) after that.
 */
export interface SigningKeyProvider {
  /** The key that signs now. */
  current(): SigningKey | RemoteSigner | Promise<SigningKey | RemoteSigner>;
  /** Every key whose tokens are still good. Private members are never published. */
  jwks(): { readonly keys: readonly PublishedKey[] } | Promise<{ readonly keys: readonly PublishedKey[] }>;
}
