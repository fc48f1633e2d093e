import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import type { PrivateJwk, PublicJwk } from "@authz/dpop";

/** Reads a private signing key. @throws {Error} The message says what is wrong, without the value. */
export function parsePrivateJwk(text: string, kid: string | undefined): PrivateJwk {
  const jwk = parseJwk(text, kid);
  const { d } = jwk;
  if (typeof d !== "string" || !isCoordinate(d)) throw new Error('has no 32-byte member "d"');
  const key: PrivateJwk = { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y, d };
  if (!pairMatches(key, key)) throw new Error("is not a usable key: d does not belong to x and y");
  return Object.freeze(key);
}

/** Reads the public half, which must belong to the private one as far as that is known. @throws {Error} */
export function parsePublicJwk(
  text: string,
  kid: string | undefined,
  privateJwk: PrivateJwk | undefined,
): PublicJwk {
  const jwk = parseJwk(text, kid);
  if ("d" in jwk) throw new Error('contains the private member "d"');
  const key: PublicJwk = { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y };
  if (privateJwk !== undefined && !pairMatches(privateJwk, key)) {
    throw new Error("does not belong to AUTHZ_SIGNING_PRIVATE_JWK");
  }
  return Object.freeze(key);
}

function parseJwk(text: string, kid: string | undefined): { x: string; y: string; d?: unknown } {
  let jwk: unknown;
  try {
    jwk = JSON.parse(text);
  } catch {
    // The parser's own message would quote the value.
    throw new Error("not JSON");
  }
  if (typeof jwk !== "object" || jwk === null || Array.isArray(jwk)) throw new Error("not a JSON object");
  const members = jwk as Record<string, unknown>;
  if (members.kty !== "EC" || members.crv !== "P-256") throw new Error("not an EC key on P-256");
  const { x, y } = members;
  if (typeof x !== "string" || typeof y !== "string" || !isCoordinate(x) || !isCoordinate(y)) {
    throw new Error('has no 32-byte members "x" and "y"');
  }
  if (members.alg !== undefined && members.alg !== "ES256") throw new Error('has an "alg" other than ES256');
  if (members.use !== undefined && members.use !== "sig") throw new Error('has a "use" other than sig');
  if (members.kid !== undefined && kid !== undefined && members.kid !== kid) {
    throw new Error('has a "kid" other than AUTHZ_SIGNING_KID');
  }
  return "d" in members ? { x, y, d: members.d } : { x, y };
}

function isCoordinate(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  return bytes.length === 32 && bytes.toString("base64url") === text;
}

function pairMatches(privateJwk: PrivateJwk, publicJwk: PublicJwk): boolean {
  const { kty, crv, x, y } = publicJwk;
  try {
    const probe = Buffer.from("authz");
    const signature = sign("sha256", probe, createPrivateKey({ key: { ...privateJwk }, format: "jwk" }));
    const publicKey = createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
    return verify("sha256", probe, publicKey, signature);
  } catch {
    return false;
  }
}
