import type { KeyObject } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { importPublicJwk, verifyEs256 } from "@authz/dpop/jws";

const keys = new Map<string, KeyObject>();

/**
 * Verifies the signature of a request's proof with `node:crypto`, in the encoding that it is fastest with, and checks
 * nothing else: the least that any check of DPoP has to do, in the place where the adapters do theirs. Proofs and keys
 * are those of the load generator: the same signature over and over would be verified faster than any real one.
 *
 * @throws {Error} The signature is wrong: the figures would be about something else.
 */
export function verifyOnce({ headers }: IncomingMessage): void {
  const proof = headers["dpop"] as string;
  const end = proof.lastIndexOf(".");
  const key = keyOf(proof.slice(0, proof.indexOf(".")));
  if (!verifyEs256(proof.slice(0, end), Buffer.from(proof.slice(end + 1), "base64url"), key))
    throw new Error("A proof of the load generator does not verify.");
}

/** The same key has the same header, so it is imported once. */
function keyOf(header: string): KeyObject {
  const known = keys.get(header);
  if (known !== undefined) return known;
  const { jwk } = JSON.parse(Buffer.from(header, "base64url").toString()) as { jwk: unknown };
  const key = importPublicJwk(jwk);
  keys.set(header, key);
  return key;
}
