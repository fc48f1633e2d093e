import type { Clock, PrivateJwk } from "@authz/dpop";
import type { Config, SigningKey } from "../../config/config.js";
import { signingKeyRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { Store } from "../../store/store.js";
import type { KeyRing, LiveKeys } from "./keys.js";
import { SigningKeyError } from "./signing-key-error.js";

interface LoadKeysOptions {
  readonly store: Pick<Store, "signingKeys">;
  readonly credentials: Vault;
  readonly environmentKey: SigningKey;
  readonly now: Date;
}

/**
 * Reads the keys as they are in the database.
 *
 * @throws {VaultError} The active key was stored with another encryption key.
 * @throws {SigningKeyError} The server was never started on this database.
 */
async function loadKeys(options: LoadKeysOptions): Promise<KeyRing> {
  const { store, credentials, environmentKey, now } = options;
  const published = await store.signingKeys.listPublished(now);
  const active = published.find(({ state }) => state === "active");
  if (active === undefined || active.privateJwk === null) {
    throw new SigningKeyError("no_active_key", "There is no active signing key. Start authz-server once.");
  }
  const { kid, publicJwk } = active;
  if (kid === environmentKey.kid) return { active: environmentKey, published };
  const opened = await credentials.open(active.privateJwk, signingKeyRow(kid));
  const privateJwk = JSON.parse(opened) as PrivateJwk;
  return { active: { kid, publicJwk, privateJwk }, published };
}

/** What a process needs to follow the keys in the database. */
export interface KeyContext {
  readonly config: Config;
  readonly store: Store;
  readonly credentials: Vault;
  readonly keys: LiveKeys;
  readonly clock: Clock;
}

/** Brings this process's keys to what the database says. */
export async function reloadKeys({ config, store, credentials, keys, clock }: KeyContext): Promise<void> {
  const now = new Date(clock());
  keys.replace(await loadKeys({ store, credentials, environmentKey: config.signingKey, now }));
}
