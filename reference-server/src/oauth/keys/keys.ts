import type { KeyObject } from "node:crypto";
import type { Clock, PublicJwk } from "@authz/dpop";
import { importPrivateJwk, importPublicJwk, signCompactJws } from "@authz/dpop/jws";
import type { SigningKey } from "../../config/config.js";
import { DatabaseUnavailableError } from "../../store/database-unavailable-error.js";
import { staleSeconds } from "./timing.js";

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
export interface KeyRing {
  readonly active: SigningKey;
  /** In the order of the key set, the active one among them. */
  readonly published: readonly { readonly kid: string; readonly publicJwk: PublicJwk }[];
}

/** Keys that a process keeps in step with the database. */
export interface LiveKeys extends Keys {
  /** Takes over the keys as they are in the database at this moment. */
  replace(ring: KeyRing): void;
}

interface LoadedRing {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
  readonly keySet: { readonly keys: readonly KeySetEntry[] };
}

/** Builds the keys, at first from the one key that the environment brings. */
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

/** A key never changes under its `kid`, so the names are enough. */
function isSame(ring: LoadedRing, { active, published }: KeyRing): boolean {
  const names = ring.keySet.keys.map(({ kid }) => kid);
  return (
    ring.kid === active.kid &&
    names.length === published.length &&
    names.every((kid, index) => kid === published[index]?.kid)
  );
}
