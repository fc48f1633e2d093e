import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { PublicJwk } from "@authz/dpop";

const keys = new Map<string, KeyObject>();

/**
 * Verifies the signature of a request's proof by `node:crypto` and checks nothing else: the least that any check of
 * DPoP has to do, in the place where the adapters do theirs.
 *
 * @throws {Error} The signature is wrong: the figures would be about something else.
 */
export function verifyOneSignature({ headers }: IncomingMessage): void {
  const proof = headers["dpop"] as string;
  const end = proof.lastIndexOf(".");
  const key = keyOf(proof.slice(0, proof.indexOf(".")));
  const signature = Buffer.from(proof.slice(end + 1), "base64url");
  const valid = verify(
    "sha256",
    Buffer.from(proof.slice(0, end), "latin1"),
    { key, dsaEncoding: "ieee-p1363" },
    signature,
  );
  if (!valid) throw new Error("A proof of the load generator does not verify.");
}

/** The same key has the same header, so it is imported once. */
function keyOf(header: string): KeyObject {
  const known = keys.get(header);
  if (known !== undefined) return known;
  const { jwk } = JSON.parse(Buffer.from(header, "base64url").toString()) as { jwk: PublicJwk };
  const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
  keys.set(header, key);
  return key;
}
