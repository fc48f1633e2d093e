import type { KeyObject } from "node:crypto";
import { importPrivateJwk, importPublicJwk, signCompactJws } from "@authz/dpop/jws";
import type { PublishedKey, SigningKey } from "./signing-key.js";

/** This service's signing keys in use. */
export interface SigningKeys {
  /**
   * Signs a JWT with the current key.
   *
   * @throws {AuthzUnavailableError} The key is unavailable, or its signature does not verify.
   */
  sign(type: string, claims: object): Promise<string>;
  /** The key with this identifier, or undefined. */
  find(kid: string): Promise<KeyObject | undefined>;
  /** The keys to publish: public members only. */
  published(): Promise<readonly PublishedKey[]>;
}

/** Uses the keys of the options: the first one signs, all of them verify. */
export function createFixedKeys(keys: readonly SigningKey[]): SigningKeys {
  const [current] = keys;
  if (current === undefined) throw new TypeError("signingKeys is empty.");
  const privateKey = importPrivateJwk(current.privateJwk);
  const publicKeys = new Map(keys.map(({ kid, publicJwk }) => [kid, importPublicJwk(publicJwk)]));
  const published = Object.freeze(keys.map(({ kid, publicJwk }) => toPublishedKey({ ...publicJwk, kid })));
  return {
    sign: (typ, claims) => Promise.resolve(signCompactJws({ typ, kid: current.kid }, claims, privateKey)),
    find: (kid) => Promise.resolve(publicKeys.get(kid)),
    published: () => Promise.resolve(published),
  };
}

/** Picks the public members by name, so that the key set contains no others. */
export function toPublishedKey({ kid, x, y }: PublishedKey): PublishedKey {
  return Object.freeze({ kty: "EC", crv: "P-256", x, y, kid, use: "sig", alg: "ES256" });
}
