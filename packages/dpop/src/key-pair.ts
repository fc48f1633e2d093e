import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { PrivateJwk, PublicJwk } from "./jws/jwk.js";

/** A P-256 key pair for ES256. */
export interface Es256KeyPair {
  privateJwk: PrivateJwk;
  publicJwk: PublicJwk;
}

const generate = promisify(generateKeyPair);

/** Generates a fresh P-256 key pair for proofs or for signing tokens. */
export async function generateEs256KeyPair(): Promise<Es256KeyPair> {
  const { privateKey } = await generate("ec", { namedCurve: "P-256" });
  const { x, y, d } = privateKey.export({ format: "jwk" }) as { x: string; y: string; d: string };
  return {
    privateJwk: { kty: "EC", crv: "P-256", x, y, d },
    publicJwk: { kty: "EC", crv: "P-256", x, y },
  };
}
