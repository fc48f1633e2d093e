import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { Es256KeyPair } from "@authz/dpop";
import { type Contender, defineContender } from "./measure.js";

const floorName = "crypto.verify";

/**
 * One P-256 verification by `node:crypto` over as many bytes as a proof has: what nobody can avoid.
 *
 * It has as many keys as the contenders have clients: with a single key it would run from a warmer cache.
 */
export function bareVerify(keyPairs: readonly Es256KeyPair[]): Contender<unknown> {
  const keys = keyPairs.map(({ privateJwk, publicJwk }) => ({
    privateKey: createPrivateKey({ key: { ...privateJwk }, format: "jwk" }),
    publicKey: createPublicKey({ key: { ...publicJwk }, format: "jwk" }),
  }));
  return defineContender<{ data: Buffer; signature: Buffer; publicKey: KeyObject }>({
    name: floorName,
    prepare: (count) =>
      Array.from({ length: count }, (_, index) => {
        const { privateKey, publicKey } = keys[index % keys.length] as (typeof keys)[number];
        const data = Buffer.alloc(480, index);
        return { data, signature: sign("sha256", data, privateKey), publicKey };
      }),
    run: (input) => verify("sha256", input.data, input.publicKey, input.signature),
  });
}
