import { createSecretKey, generateKeyPairSync } from "node:crypto";
import type { DpopErrorReason, PublicJwk } from "@authz/dpop";
import { base64url } from "jose";
import { now, otherKey, type ProofDraft, privateJwk, publicJwk, request } from "./draft.js";

const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
/** The order of P-256. */
export const n: Buffer = Buffer.from(
  "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
  "hex",
);
const zero = Buffer.alloc(32);
export const offCurve: PublicJwk = { ...publicJwk, y: publicJwk.x };

export interface Case {
  name: string;
  change: (draft: ProofDraft) => void;
}
export interface Refusal extends Case {
  reason: DpopErrorReason;
}

/** Proofs that are right, each with one liberty that the standards allow. */
export const accepted: Case[] = [
  { name: "as it is", change: () => {} },
  { name: "with its type in capitals", change: (draft) => (draft.header["typ"] = "DPoP+JWT") },
  {
    name: "with its type as a whole media type",
    change: (draft) => (draft.header["typ"] = "application/dpop+jwt"),
  },
  {
    name: "with header members nobody follows",
    change: (draft) =>
      Object.assign(draft.header, {
        kid: "k",
        jku: "https://evil.example",
        x5u: "https://evil.example",
        x5c: ["x"],
      }),
  },
  {
    name: "with a key for exactly this purpose",
    change: (draft) =>
      Object.assign(draft.header["jwk"] as object, {
        use: "sig",
        key_ops: ["verify"],
        alg: "ES256",
        kid: "k",
      }),
  },
  { name: "made 60 seconds ago", change: (draft) => (draft.claims["iat"] = now - 60) },
  { name: "made 5 seconds ahead", change: (draft) => (draft.claims["iat"] = now + 5) },
  { name: "with an exp in the past", change: (draft) => (draft.claims["exp"] = 1) },
  { name: "with an nbf in the future", change: (draft) => (draft.claims["nbf"] = now + 1000) },
  { name: "with a jti of 256 characters", change: (draft) => (draft.claims["jti"] = "x".repeat(256)) },
  { name: "with a jti beyond ASCII", change: (draft) => (draft.claims["jti"] = "één-🔑") },
  {
    name: "with a query and a fragment in its address",
    change: (draft) => (draft.claims["htu"] = `${request.url}?page=2#top`),
  },
  {
    name: "with an address in another spelling",
    change: (draft) => (draft.claims["htu"] = "HTTPS://API.example:443/a/../%63ontracts"),
  },
  { name: "with a nonce nobody asked for", change: (draft) => (draft.claims["nonce"] = "x") },
  {
    name: "with a __proto__ member that means nothing",
    change: (draft) =>
      (draft.claimsJson = `{"__proto__":{"htm":"POST"},${JSON.stringify(draft.claims).slice(1)}`),
  },
];

/** Proofs with one fault, and the reason it is refused for. */
export const refusals: Refusal[] = [
  // Form
  { name: "is empty", change: (draft) => (draft.changeText = () => ""), reason: "not_compact" },
  {
    name: "has two segments",
    change: (draft) => (draft.changeText = (proof) => proof.slice(0, proof.lastIndexOf("."))),
    reason: "not_compact",
  },
  {
    name: "has four segments",
    change: (draft) => (draft.changeText = (proof) => `${proof}.x`),
    reason: "not_compact",
  },
  {
    name: "has an empty signature",
    change: (draft) => (draft.changeSignature = () => Buffer.alloc(0)),
    reason: "not_compact",
  },
  {
    name: "is larger than 4 KiB",
    change: (draft) => (draft.claims["pad"] = "x".repeat(4096)),
    reason: "too_large",
  },
  {
    name: "is two proofs that a proxy joined",
    change: (draft) => (draft.changeText = (proof) => `${proof}, ${proof}`),
    reason: "not_compact",
  },
  {
    name: "has padding",
    change: (draft) => (draft.changeText = (proof) => `${proof}==`),
    reason: "not_base64url",
  },
  {
    name: "has a space in front",
    change: (draft) => (draft.changeText = (proof) => ` ${proof}`),
    reason: "not_base64url",
  },
  {
    name: "has a line end",
    change: (draft) => (draft.changeText = (proof) => `${proof}\n`),
    reason: "not_base64url",
  },
  {
    name: "uses the base64 alphabet",
    change: (draft) => {
      draft.claims["pad"] = "???>>>";
      draft.changeText = (proof) => proof.replaceAll("_", "/").replaceAll("-", "+");
    },
    reason: "not_base64url",
  },
  {
    name: "has stray bits in its last character",
    change: (draft) =>
      (draft.changeText = (proof) => proof.slice(0, -1) + nextCharacter(proof.at(-1) as string)),
    reason: "not_base64url",
  },
  // JSON
  {
    name: "has a header that is no JSON",
    change: (draft) => (draft.headerJson = "typ=dpop+jwt"),
    reason: "not_json",
  },
  {
    name: "has a header that is an array",
    change: (draft) => (draft.headerJson = "[]"),
    reason: "not_an_object",
  },
  {
    name: "has claims that are null",
    change: (draft) => (draft.claimsJson = "null"),
    reason: "not_an_object",
  },
  {
    name: "has claims with a byte order mark",
    change: (draft) => (draft.claimsJson = `\ufeff${JSON.stringify(draft.claims)}`),
    reason: "byte_order_mark",
  },
  {
    name: "has claims that are not UTF-8",
    change: (draft) => (draft.claimsJson = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
    reason: "not_utf8",
  },
  {
    name: "has a claim twice",
    change: (draft) => (draft.claimsJson = `${JSON.stringify(draft.claims).slice(0, -1)},"htm":"GET"}`),
    reason: "duplicate_member",
  },
  {
    name: "has a claim twice, once escaped",
    change: (draft) => (draft.claimsJson = `${JSON.stringify(draft.claims).slice(0, -1)},"ht\\u006d":"GET"}`),
    reason: "duplicate_member",
  },
  {
    name: "has a header member twice",
    change: (draft) => (draft.headerJson = `${JSON.stringify(draft.header).slice(0, -1)},"alg":"ES256"}`),
    reason: "duplicate_member",
  },
  {
    name: "has a member of its key twice",
    change: (draft) =>
      (draft.headerJson = JSON.stringify(draft.header).replace('"kty":"EC"', '"kty":"EC","kty":"EC"')),
    reason: "duplicate_member",
  },
  {
    name: "has deeply nested claims",
    change: (draft) => (draft.claimsJson = `{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`),
    reason: "too_deep",
  },
  // Header
  { name: "has no type", change: (draft) => delete draft.header["typ"], reason: "wrong_type" },
  {
    name: "has the type of an access token",
    change: (draft) => (draft.header["typ"] = "at+jwt"),
    reason: "wrong_type",
  },
  {
    name: "has a type that is a list",
    change: (draft) => (draft.header["typ"] = ["dpop+jwt"]),
    reason: "wrong_type",
  },
  {
    name: "has no algorithm",
    change: (draft) => delete draft.header["alg"],
    reason: "unsupported_algorithm",
  },
  { name: "is unsigned", change: (draft) => (draft.header["alg"] = "none"), reason: "unsupported_algorithm" },
  {
    name: "claims a symmetric algorithm",
    change: (draft) => (draft.header["alg"] = "HS256"),
    reason: "unsupported_algorithm",
  },
  {
    name: "claims another asymmetric algorithm",
    change: (draft) => (draft.header["alg"] = "ES384"),
    reason: "unsupported_algorithm",
  },
  {
    name: "writes the algorithm in lower case",
    change: (draft) => (draft.header["alg"] = "es256"),
    reason: "unsupported_algorithm",
  },
  {
    name: "has a crit member",
    change: (draft) => (draft.header["crit"] = ["exp"]),
    reason: "critical_header",
  },
  {
    name: "has an empty crit member",
    change: (draft) => (draft.header["crit"] = []),
    reason: "critical_header",
  },
  { name: "has a b64 member", change: (draft) => (draft.header["b64"] = true), reason: "critical_header" },
  // Key
  { name: "has no key", change: (draft) => delete draft.header["jwk"], reason: "invalid_key" },
  {
    name: "has a key that is a string",
    change: (draft) => (draft.header["jwk"] = JSON.stringify(publicJwk)),
    reason: "invalid_key",
  },
  { name: "has a private key", change: (draft) => (draft.header["jwk"] = privateJwk), reason: "private_key" },
  {
    name: "has a key with a null d",
    change: (draft) => (draft.header["jwk"] = { ...publicJwk, d: null }),
    reason: "private_key",
  },
  {
    name: "has a symmetric key",
    change: (draft) => (draft.header["jwk"] = createSecretKey(zero).export({ format: "jwk" })),
    reason: "unsupported_key",
  },
  {
    name: "has an RSA key",
    change: (draft) => (draft.header["jwk"] = rsa.publicKey.export({ format: "jwk" })),
    reason: "unsupported_key",
  },
  {
    name: "has a key on another curve",
    change: (draft) => (draft.header["jwk"] = p384.publicKey.export({ format: "jwk" })),
    reason: "unsupported_key",
  },
  {
    name: "has a point off the curve",
    change: (draft) => (draft.header["jwk"] = offCurve),
    reason: "invalid_key",
  },
  {
    name: "has the point zero",
    change: (draft) =>
      (draft.header["jwk"] = { ...publicJwk, x: base64url.encode(zero), y: base64url.encode(zero) }),
    reason: "invalid_key",
  },
  {
    name: "has a coordinate with a leading zero byte too many",
    change: (draft) =>
      (draft.header["jwk"] = {
        ...publicJwk,
        x: base64url.encode(Buffer.concat([Buffer.alloc(1), base64url.decode(publicJwk.x)])),
      }),
    reason: "invalid_key",
  },
  {
    name: "has a coordinate in base64 with padding",
    change: (draft) => (draft.header["jwk"] = { ...publicJwk, x: `${publicJwk.x}=` }),
    reason: "invalid_key",
  },
  {
    name: "has a coordinate with stray bits",
    change: (draft) =>
      (draft.header["jwk"] = {
        ...publicJwk,
        x: publicJwk.x.slice(0, -1) + nextCharacter(publicJwk.x.at(-1) as string),
      }),
    reason: "invalid_key",
  },
  {
    name: "has a key for encryption",
    change: (draft) => (draft.header["jwk"] = { ...publicJwk, use: "enc" }),
    reason: "contradicting_key_use",
  },
  {
    name: "has a key that may only sign",
    change: (draft) => (draft.header["jwk"] = { ...publicJwk, key_ops: ["sign"] }),
    reason: "contradicting_key_use",
  },
  {
    name: "has a key with key_ops as a string",
    change: (draft) => (draft.header["jwk"] = { ...publicJwk, key_ops: "verify" }),
    reason: "contradicting_key_use",
  },
  {
    name: "has a key for another algorithm",
    change: (draft) => (draft.header["jwk"] = { ...publicJwk, alg: "ES384" }),
    reason: "contradicting_key_use",
  },
  // Signature
  {
    name: "is signed with another key",
    change: (draft) => (draft.signingKey = otherKey.privateKey),
    reason: "bad_signature",
  },
  {
    name: "names another key than it is signed with",
    change: (draft) => (draft.header["jwk"] = otherKey.publicKey.export({ format: "jwk" })),
    reason: "bad_signature",
  },
  {
    name: "has one bit of the signature flipped",
    change: (draft) =>
      (draft.changeSignature = (signature) => ((signature[40] = (signature[40] as number) ^ 1), signature)),
    reason: "bad_signature",
  },
  {
    name: "has a signature of 63 bytes",
    change: (draft) => (draft.changeSignature = (signature) => signature.subarray(1)),
    reason: "malformed_signature",
  },
  {
    name: "has a signature of 65 bytes",
    change: (draft) => (draft.changeSignature = (signature) => Buffer.concat([Buffer.alloc(1), signature])),
    reason: "malformed_signature",
  },
  {
    name: "has a signature with r = 0",
    change: (draft) => (draft.changeSignature = (signature) => Buffer.concat([zero, signature.subarray(32)])),
    reason: "bad_signature",
  },
  {
    name: "has a signature with s = 0",
    change: (draft) =>
      (draft.changeSignature = (signature) => Buffer.concat([signature.subarray(0, 32), zero])),
    reason: "bad_signature",
  },
  {
    name: "has a signature with s = n",
    change: (draft) => (draft.changeSignature = (signature) => Buffer.concat([signature.subarray(0, 32), n])),
    reason: "bad_signature",
  },
  {
    name: "has the signature of nothing (r = s = 0)",
    change: (draft) => (draft.changeSignature = () => Buffer.alloc(64)),
    reason: "bad_signature",
  },
  // Claims
  { name: "has no method", change: (draft) => delete draft.claims["htm"], reason: "wrong_method" },
  {
    name: "is for another method",
    change: (draft) => (draft.claims["htm"] = "POST"),
    reason: "wrong_method",
  },
  {
    name: "writes the method in lower case",
    change: (draft) => (draft.claims["htm"] = "get"),
    reason: "wrong_method",
  },
  { name: "has no address", change: (draft) => delete draft.claims["htu"], reason: "wrong_url" },
  {
    name: "is for another path",
    change: (draft) => (draft.claims["htu"] = `${request.url}/1`),
    reason: "wrong_url",
  },
  {
    name: "is for another host",
    change: (draft) => (draft.claims["htu"] = "https://evil.example/contracts"),
    reason: "wrong_url",
  },
  {
    name: "is for plain http",
    change: (draft) => (draft.claims["htu"] = "http://api.example/contracts"),
    reason: "wrong_url",
  },
  {
    name: "has only a path for an address",
    change: (draft) => (draft.claims["htu"] = "/contracts"),
    reason: "wrong_url",
  },
  {
    name: "has a list of addresses",
    change: (draft) => (draft.claims["htu"] = [request.url]),
    reason: "wrong_url",
  },
  { name: "has no iat", change: (draft) => delete draft.claims["iat"], reason: "invalid_iat" },
  {
    name: "has an iat that is a string",
    change: (draft) => (draft.claims["iat"] = String(now)),
    reason: "invalid_iat",
  },
  {
    name: "has a fractional iat",
    change: (draft) => (draft.claims["iat"] = now + 0.5),
    reason: "invalid_iat",
  },
  {
    name: "has an infinite iat",
    change: (draft) =>
      (draft.claimsJson = JSON.stringify(draft.claims).replace(`"iat":${now}`, '"iat":1e999')),
    reason: "invalid_iat",
  },
  { name: "has a negative iat", change: (draft) => (draft.claims["iat"] = -1), reason: "invalid_iat" },
  { name: "was made 61 seconds ago", change: (draft) => (draft.claims["iat"] = now - 61), reason: "too_old" },
  {
    name: "was made 6 seconds ahead",
    change: (draft) => (draft.claims["iat"] = now + 6),
    reason: "from_the_future",
  },
  {
    name: "has an iat in milliseconds",
    change: (draft) => (draft.claims["iat"] = now * 1000),
    reason: "from_the_future",
  },
  { name: "has no jti", change: (draft) => delete draft.claims["jti"], reason: "invalid_jti" },
  { name: "has an empty jti", change: (draft) => (draft.claims["jti"] = ""), reason: "invalid_jti" },
  { name: "has a jti that is a number", change: (draft) => (draft.claims["jti"] = 1), reason: "invalid_jti" },
  {
    name: "has a jti of 257 characters",
    change: (draft) => (draft.claims["jti"] = "x".repeat(257)),
    reason: "invalid_jti",
  },
  { name: "has a NUL in its jti", change: (draft) => (draft.claims["jti"] = "a\0b"), reason: "invalid_jti" },
  {
    name: "has half a surrogate pair in its jti",
    change: (draft) => (draft.claims["jti"] = "\ud800"),
    reason: "not_utf8",
  },
  { name: "has no ath", change: (draft) => delete draft.claims["ath"], reason: "missing_ath" },
  {
    name: "has the ath of another token",
    change: (draft) => (draft.claims["ath"] = "x".repeat(43)),
    reason: "wrong_ath",
  },
  { name: "has a null ath", change: (draft) => (draft.claims["ath"] = null), reason: "wrong_ath" },
];

/** The next character of the alphabet: the same bytes after decoding when the last bits do not count. */
function nextCharacter(character: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(character) + 1] as string;
}
