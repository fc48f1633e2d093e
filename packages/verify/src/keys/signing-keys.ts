import type { KeyObject } from "node:crypto";
import type { Clock } from "@authz/dpop";
import { isProvider, type SigningKeySource } from "../options/signing-keys.js";
import { createFixedKeys } from "./fixed-keys.js";
import { createProvidedKeys } from "./provided-keys.js";
import type { PublishedKey } from "./signing-key.js";

/** This service's own keys in use. */
export interface SigningKeys {
  /**
   * Signs a JWT with the current key.
   *
   * @throws {AuthzUnavailableError} The key is out of reach, or what it signs does not verify.
   */
  sign(type: string, claims: object): Promise<string>;
  /** The key with this identifier, or undefined. */
  find(kid: string): Promise<KeyObject | undefined>;
  /** The keys to publish: public members only. */
  published(): Promise<readonly PublishedKey[]>;
}

/** Puts fixed keys or a provider to use. */
export function createSigningKeys(source: SigningKeySource, clock: Clock): SigningKeys {
  return isProvider(source) ? createProvidedKeys(source, clock) : createFixedKeys(source);
}
