import type { KeyObject } from "node:crypto";
import type { Clock, PrivateJwk, PublicJwk } from "@authz/dpop";
import { importPrivateJwk, importPublicJwk, signCompactJws } from "@authz/dpop/jws";
import { recordAudit } from "../../audit/record.js";
import type { Config, SigningKey } from "../../config/config.js";
import { signingKeyRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import { DatabaseUnavailableError } from "../../store/database-unavailable-error.js";
import type { SigningKeyRecord } from "../../store/signing-keys.js";
import type { Store } from "../../store/store.js";
import { SigningKeyError, staleSeconds } from "./rotate-keys.js";

/** A public key as the key set shows it. */
interface KeySetEntry extends PublicJwk {
  readonly kid: string;
  readonly alg: "ES256";
  readonly use: "sig";
}

/** The server's signing keys. */
export interface Keys {
  /**
   * Signs claims with the active key; `typ` is the JWS header's.
   *
   * @throws {DatabaseUnavailableError} The keys could not be read for so long that the active one may be another.
   */
  sign(header: { readonly typ: string }, claims: object): string;
  /** The key that a token of ours names in its header. */
  publicKey(kid: string): KeyObject | undefined;
  /** What `/api/oauth/jwks` answers. The same object until the keys change. */
  keySet(): { readonly keys: readonly KeySetEntry[] };
}

/** The keys at one moment: the one that signs, and all that belong in the key set. */
interface KeyRing {
  readonly active: SigningKey;
  /** In the order of the key set, the active one among them. */
  readonly published: readonly { readonly kid: string; readonly publicJwk: PublicJwk }[];
}

/** Keys that a process keeps in step with the database. */
export interface LiveKeys extends Keys {
  /** Replaces the keys with those of the database. */
  replace(ring: KeyRing): void;
}

interface LoadedRing {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
  readonly keySet: { readonly keys: readonly KeySetEntry[] };
}

/** Creates the keys, at first with the one of the environment only. */
export function createKeys(environmentKey: SigningKey, clock: Clock = Date.now): LiveKeys {
  let ring = loadRing({ active: environmentKey, published: [environmentKey] });
  let goodUntil = Number.POSITIVE_INFINITY;
  return {
    sign({ typ }, claims) {
      if (clock() > goodUntil) {
        throw new DatabaseUnavailableError("The signing keys could not be read again for too long.");
      }
      return signCompactJws({ typ, kid: ring.kid }, claims, ring.privateKey);
    },
    publicKey: (kid) => ring.publicKeys.get(kid),
    keySet: () => ring.keySet,
    replace(next) {
      if (!isSame(ring, next)) ring = loadRing(next);
      goodUntil = clock() + staleSeconds * 1000;
    },
  };
}

function loadRing({ active, published }: KeyRing): LoadedRing {
  const keys = published.map(({ kid, publicJwk: { kty, crv, x, y } }): KeySetEntry => {
    return Object.freeze({ kty, crv, x, y, kid, alg: "ES256", use: "sig" });
  });
  return {
    kid: active.kid,
    privateKey: importPrivateJwk(active.privateJwk),
    publicKeys: new Map(published.map(({ kid, publicJwk }) => [kid, importPublicJwk(publicJwk)])),
    keySet: Object.freeze({ keys: Object.freeze(keys) }),
  };
}

/** Compares by `kid`: a key never changes under its `kid`. */
function isSame(ring: LoadedRing, { active, published }: KeyRing): boolean {
  const names = ring.keySet.keys.map(({ kid }) => kid);
  return (
    ring.kid === active.kid &&
    names.length === published.length &&
    names.every((kid, index) => kid === published[index]?.kid)
  );
}

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

/** Dependencies of reloading the keys. */
interface KeyContext {
  readonly config: Config;
  readonly store: Store;
  readonly credentials: Vault;
  readonly keys: LiveKeys;
  readonly clock: Clock;
}

/** Reloads this process's keys from the database. */
export async function reloadKeys({ config, store, credentials, keys, clock }: KeyContext): Promise<void> {
  const now = new Date(clock());
  keys.replace(await loadKeys({ store, credentials, environmentKey: config.signingKey, now }));
}

/**
 * Stores the key of the environment: as the active key if it is the first, else as a staged key.
 *
 * Safe for processes that start together. Returns what was done.
 *
 * @throws {SigningKeyError} The database knows this `kid` with another key.
 */
export async function adoptEnvironmentKey(
  { kid, privateJwk, publicJwk }: SigningKey,
  { store, credentials, at }: { store: Store; credentials: Vault; at: Date },
): Promise<"known" | "active" | "staged"> {
  const known = await store.signingKeys.find(kid);
  if (known !== undefined) {
    requireSameKey(known, publicJwk);
    return "known";
  }
  return await store.transaction(async (tx) => {
    await tx.settings.lock();
    const first = (await tx.signingKeys.list({ limit: 1 })).length === 0;
    const state = first ? "active" : "staged";
    const isNew = await tx.signingKeys.insertMissing({
      kid,
      publicJwk,
      privateJwk: await credentials.seal(JSON.stringify(privateJwk), signingKeyRow(kid)),
      source: "environment",
      state,
      stagedAt: at,
      activatedAt: first ? at : null,
      retiredAt: null,
      publishedUntil: null,
    });
    if (!isNew) return "known";
    const event = { outcome: "success", actor: { type: "system" }, at } as const;
    const data = { kid, source: "environment" } as const;
    await recordAudit(tx, { ...event, type: "signing_key.staged", data });
    if (first) {
      const activation = { kid, replaced: null, emergency: false };
      await recordAudit(tx, { ...event, type: "signing_key.activated", data: activation });
    }
    return state;
  });
}

function requireSameKey({ kid, publicJwk }: SigningKeyRecord, { x, y }: SigningKey["publicJwk"]): void {
  if (publicJwk.x === x && publicJwk.y === y) return;
  throw new SigningKeyError(
    "kid_taken",
    `AUTHZ_SIGNING_KID is ${kid}, which the database knows with another key. ` +
      'A new key needs a new id: "authz-server secrets" prints a pair with its own.',
  );
}
