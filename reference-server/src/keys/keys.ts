import type { KeyObject } from "node:crypto";
import type { PublicJwk } from "@authz/dpop";
import { importPrivateJwk, importPublicJwk, signCompactJws } from "@authz/dpop/jws";
import type { SigningKey } from "../config.js";

/** A public key as the key set shows it. */
export interface KeySetEntry extends PublicJwk {
  readonly kid: string;
  readonly alg: "ES256";
  readonly use: "sig";
}

/** The server's signing keys. */
export interface Keys {
  /** Signs claims with the active key; `typ` is the JWS header's. */
  sign(header: { readonly typ: string }, claims: object): string;
  /** The key that a token of ours names in its header. */
  publicKey(kid: string): KeyObject | undefined;
  /** What `/api/oauth/jwks` answers. */
  keySet(): { readonly keys: readonly KeySetEntry[] };
}

/** Builds the keys from the one key that the environment brings. */
export function createKeys({ kid, privateJwk, publicJwk }: SigningKey): Keys {
  const privateKey = importPrivateJwk(privateJwk);
  const publicKeys = new Map([[kid, importPublicJwk(publicJwk)]]);
  const { kty, crv, x, y } = publicJwk;
  const keySet = Object.freeze({ keys: [{ kty, crv, x, y, kid, alg: "ES256", use: "sig" }] as const });
  return {
    sign: ({ typ }, claims) => signCompactJws({ typ, kid }, claims, privateKey),
    publicKey: (wanted) => publicKeys.get(wanted),
    keySet: () => keySet,
  };
}
