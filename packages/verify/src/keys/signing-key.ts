import type { PrivateJwk, PublicJwk } from "@authz/dpop";
import { importPrivateJwk, importPublicJwk, isJsonObject } from "@authz/dpop/jws";
import { requireKnownMembers } from "../known-members.js";

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

/** A key that signs remotely, such as in a KMS or in Vault. */
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
 * Provides signing keys. Both methods are called often and should answer from memory.
 *
 * To rotate without a refused request, publish the new key in `jwks()` everywhere before `current()` returns it, and
 * keep the old one published for ten minutes (the life of an access token) after that.
 */
export interface SigningKeyProvider {
  /** The current signing key. */
  current(): SigningKey | RemoteSigner | Promise<SigningKey | RemoteSigner>;
  /** All keys whose tokens are still valid. Private members are never published. */
  jwks(): { readonly keys: readonly PublishedKey[] } | Promise<{ readonly keys: readonly PublishedKey[] }>;
}

/** Fixed keys, of which the first one signs, or a provider. */
export type SigningKeySource = readonly SigningKey[] | SigningKeyProvider;

/**
 * Checks that exactly one of `signingKey` and `signingKeys` is given and that the halves of each pair match.
 *
 * @throws {TypeError} The message names the option and the remedy.
 */
export function checkSigningKeys(signingKey: unknown, signingKeys: unknown): SigningKeySource {
  if (signingKey !== undefined && signingKeys !== undefined) {
    throw new TypeError("Give either signingKey or signingKeys, not both.");
  }
  if (signingKeys === undefined) return Object.freeze([checkSigningKey("signingKey", signingKey)]);
  if (isProvider(signingKeys)) return signingKeys;
  if (!Array.isArray(signingKeys) || signingKeys.length === 0) {
    throw new TypeError(
      "signingKeys must be an array with at least one { kid, privateJwk, publicJwk }, or a provider with current() and jwks().",
    );
  }
  const keys = signingKeys.map((key: unknown, index) => checkSigningKey(`signingKeys[${index}]`, key));
  const kids = new Set(keys.map(({ kid }) => kid));
  if (kids.size !== keys.length)
    throw new TypeError("signingKeys has the same kid twice. Give each key its own.");
  return Object.freeze(keys);
}

/** Checks one key pair and returns a frozen copy. */
export function checkSigningKey(option: string, value: unknown): SigningKey {
  if (!isJsonObject(value)) {
    throw new TypeError(
      `${option} must be an object { kid, privateJwk, publicJwk }. Make a pair with generateEs256KeyPair().`,
    );
  }
  requireKnownMembers(option, value, ["kid", "privateJwk", "publicJwk"]);
  const { kid, privateJwk, publicJwk } = value as unknown as SigningKey;
  checkKid(`${option}.kid`, kid);
  checkImport(`${option}.privateJwk`, "a private", () => importPrivateJwk(privateJwk));
  checkImport(`${option}.publicJwk`, "a public", () => importPublicJwk(publicJwk));
  if (privateJwk.x !== publicJwk.x || privateJwk.y !== publicJwk.y) {
    throw new TypeError(
      `${option}.publicJwk does not belong to ${option}.privateJwk. Give both halves of one pair.`,
    );
  }
  return Object.freeze({
    kid,
    privateJwk: Object.freeze({ ...privateJwk }),
    publicJwk: Object.freeze({ ...publicJwk }),
  });
}

function checkKid(option: string, kid: unknown): void {
  if (typeof kid !== "string" || !/^[\x21-\x7E]{1,256}$/.test(kid)) {
    throw new TypeError(
      `${option} must be 1 to 256 printable ASCII characters without spaces, such as a UUID.`,
    );
  }
}

function checkImport(option: string, kind: string, load: () => unknown): void {
  try {
    load();
  } catch (cause) {
    const why = cause instanceof Error ? ` ${cause.message}` : "";
    throw new TypeError(`${option} must be ${kind} EC P-256 JWK for ES256.${why}`, { cause });
  }
}

/** Whether the value is a provider of keys. */
export function isProvider(value: unknown): value is SigningKeyProvider {
  if (typeof value !== "object" || value === null) return false;
  const { current, jwks } = value as Partial<SigningKeyProvider>;
  return typeof current === "function" && typeof jwks === "function";
}
