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

type Change = (draft: ProofDraft) => void;

export interface Case {
  name: string;
  change: Change;
}
export interface Refusal extends Case {
  reason: DpopErrorReason;
}

const header =
  (member: string, value?: unknown): Change =>
  (draft) =>
    void (value === undefined ? delete draft.header[member] : (draft.header[member] = value));
const claim =
  (name: string, value?: unknown): Change =>
  (draft) =>
    void (value === undefined ? delete draft.claims[name] : (draft.claims[name] = value));
/** A header with the right key but for these members. */
const jwk = (members: object): Change => header("jwk", { ...publicJwk, ...members });
const text =
  (change: ProofDraft["changeText"]): Change =>
  (draft) =>
    void (draft.changeText = change);
const signature =
  (change: ProofDraft["changeSignature"]): Change =>
  (draft) =>
    void (draft.changeSignature = change);
/** Writes the JSON of the header or the claims otherwise than `JSON.stringify`. */
const json =
  (part: "header" | "claims", change: (json: string) => string | Buffer): Change =>
  (draft) =>
    void (draft[`${part}Json`] = change(JSON.stringify(draft[part])));

const liberties: readonly (readonly [name: string, change: Change])[] = [
  ["as it is", () => {}],
  ["with its type in capitals", header("typ", "DPoP+JWT")],
  ["with its type as a whole media type", header("typ", "application/dpop+jwt")],
  [
    "with header members that are never followed",
    ({ header: members }) =>
      Object.assign(members, {
        kid: "k",
        jku: "https://evil.example",
        x5u: "https://evil.example",
        x5c: ["x"],
      }),
  ],
  ["with a key for exactly this purpose", jwk({ use: "sig", key_ops: ["verify"], alg: "ES256", kid: "k" })],
  ["made 60 seconds ago", claim("iat", now - 60)],
  ["made 5 seconds ahead", claim("iat", now + 5)],
  ["with an exp in the past", claim("exp", 1)],
  ["with an nbf in the future", claim("nbf", now + 1000)],
  ["with a jti of 256 characters", claim("jti", "x".repeat(256))],
  ["with a jti beyond ASCII", claim("jti", "één-🔑")],
  ["with a query and a fragment in its address", claim("htu", `${request.url}?page=2#top`)],
  ["with an address in another spelling", claim("htu", "HTTPS://API.example:443/a/../%63ontracts")],
  ["with a nonce that was not asked for", claim("nonce", "x")],
  [
    "with a __proto__ member that means nothing",
    json("claims", (claims) => `{"__proto__":{"htm":"POST"},${claims.slice(1)}`),
  ],
];

const faults: readonly (readonly [name: string, change: Change, reason: DpopErrorReason])[] = [
  // Form
  ["is empty", text(() => ""), "not_compact"],
  ["has two segments", text((proof) => proof.slice(0, proof.lastIndexOf("."))), "not_compact"],
  ["has four segments", text((proof) => `${proof}.x`), "not_compact"],
  ["has an empty signature", signature(() => Buffer.alloc(0)), "not_compact"],
  ["is larger than 4 KiB", claim("pad", "x".repeat(4096)), "too_large"],
  ["is two proofs that a proxy joined", text((proof) => `${proof}, ${proof}`), "not_compact"],
  ["has padding", text((proof) => `${proof}==`), "not_base64url"],
  ["has a space in front", text((proof) => ` ${proof}`), "not_base64url"],
  ["has a line end", text((proof) => `${proof}\n`), "not_base64url"],
  [
    "uses the base64 alphabet",
    (draft) => {
      draft.claims["pad"] = "???>>>";
      draft.changeText = (proof) => proof.replaceAll("_", "/").replaceAll("-", "+");
    },
    "not_base64url",
  ],
  ["has stray bits in its last character", text(withStrayBits), "not_base64url"],
  // JSON
  ["has a header that is no JSON", json("header", () => "typ=dpop+jwt"), "not_json"],
  ["has a header that is an array", json("header", () => "[]"), "not_an_object"],
  ["has claims that are null", json("claims", () => "null"), "not_an_object"],
  ["has claims with a byte order mark", json("claims", (claims) => `\ufeff${claims}`), "byte_order_mark"],
  ["has claims that are not UTF-8", json("claims", () => Buffer.from("7b22ff223a317d", "hex")), "not_utf8"],
  [
    "has a claim twice",
    json("claims", (claims) => `${claims.slice(0, -1)},"htm":"GET"}`),
    "duplicate_member",
  ],
  [
    "has a claim twice, once escaped",
    json("claims", (claims) => `${claims.slice(0, -1)},"ht\\u006d":"GET"}`),
    "duplicate_member",
  ],
  [
    "has a header member twice",
    json("header", (members) => `${members.slice(0, -1)},"alg":"ES256"}`),
    "duplicate_member",
  ],
  [
    "has a member of its key twice",
    json("header", (members) => members.replace('"kty":"EC"', '"kty":"EC","kty":"EC"')),
    "duplicate_member",
  ],
  [
    "has deeply nested claims",
    json("claims", () => `{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`),
    "too_deep",
  ],
  // Header
  ["has no type", header("typ"), "wrong_type"],
  ["has the type of an access token", header("typ", "at+jwt"), "wrong_type"],
  ["has a type that is a list", header("typ", ["dpop+jwt"]), "wrong_type"],
  ["has no algorithm", header("alg"), "unsupported_algorithm"],
  ["is unsigned", header("alg", "none"), "unsupported_algorithm"],
  ["claims a symmetric algorithm", header("alg", "HS256"), "unsupported_algorithm"],
  ["claims another asymmetric algorithm", header("alg", "ES384"), "unsupported_algorithm"],
  ["writes the algorithm in lower case", header("alg", "es256"), "unsupported_algorithm"],
  ["has a crit member", header("crit", ["exp"]), "critical_header"],
  ["has an empty crit member", header("crit", []), "critical_header"],
  ["has a b64 member", header("b64", true), "critical_header"],
  // Key
  ["has no key", header("jwk"), "invalid_key"],
  ["has a key that is a string", header("jwk", JSON.stringify(publicJwk)), "invalid_key"],
  ["has a private key", header("jwk", privateJwk), "private_key"],
  ["has a key with a null d", jwk({ d: null }), "private_key"],
  ["has a symmetric key", header("jwk", createSecretKey(zero).export({ format: "jwk" })), "unsupported_key"],
  ["has an RSA key", header("jwk", rsa.publicKey.export({ format: "jwk" })), "unsupported_key"],
  ["has a key on another curve", header("jwk", p384.publicKey.export({ format: "jwk" })), "unsupported_key"],
  ["has a point off the curve", header("jwk", offCurve), "invalid_key"],
  ["has the point zero", jwk({ x: base64url.encode(zero), y: base64url.encode(zero) }), "invalid_key"],
  [
    "has a coordinate with a leading zero byte too many",
    jwk({ x: base64url.encode(Buffer.concat([Buffer.alloc(1), base64url.decode(publicJwk.x)])) }),
    "invalid_key",
  ],
  ["has a coordinate in base64 with padding", jwk({ x: `${publicJwk.x}=` }), "invalid_key"],
  ["has a coordinate with stray bits", jwk({ x: withStrayBits(publicJwk.x) }), "invalid_key"],
  ["has a key for encryption", jwk({ use: "enc" }), "contradicting_key_use"],
  ["has a key that may only sign", jwk({ key_ops: ["sign"] }), "contradicting_key_use"],
  ["has a key with key_ops as a string", jwk({ key_ops: "verify" }), "contradicting_key_use"],
  ["has a key for another algorithm", jwk({ alg: "ES384" }), "contradicting_key_use"],
  // Signature
  ["is signed with another key", (draft) => (draft.signingKey = otherKey.privateKey), "bad_signature"],
  [
    "names another key than it is signed with",
    header("jwk", otherKey.publicKey.export({ format: "jwk" })),
    "bad_signature",
  ],
  [
    "has one bit of the signature flipped",
    signature((bytes) => ((bytes[40] = (bytes[40] as number) ^ 1), bytes)),
    "bad_signature",
  ],
  ["has a signature of 63 bytes", signature((bytes) => bytes.subarray(1)), "malformed_signature"],
  [
    "has a signature of 65 bytes",
    signature((bytes) => Buffer.concat([Buffer.alloc(1), bytes])),
    "malformed_signature",
  ],
  [
    "has a signature with r = 0",
    signature((bytes) => Buffer.concat([zero, bytes.subarray(32)])),
    "bad_signature",
  ],
  [
    "has a signature with s = 0",
    signature((bytes) => Buffer.concat([bytes.subarray(0, 32), zero])),
    "bad_signature",
  ],
  [
    "has a signature with s = n",
    signature((bytes) => Buffer.concat([bytes.subarray(0, 32), n])),
    "bad_signature",
  ],
  ["has the signature of nothing (r = s = 0)", signature(() => Buffer.alloc(64)), "bad_signature"],
  // Claims
  ["has no method", claim("htm"), "wrong_method"],
  ["is for another method", claim("htm", "POST"), "wrong_method"],
  ["writes the method in lower case", claim("htm", "get"), "wrong_method"],
  ["has no address", claim("htu"), "wrong_url"],
  ["is for another path", claim("htu", `${request.url}/1`), "wrong_url"],
  ["is for another host", claim("htu", "https://evil.example/contracts"), "wrong_url"],
  ["is for plain http", claim("htu", "http://api.example/contracts"), "wrong_url"],
  ["has only a path for an address", claim("htu", "/contracts"), "wrong_url"],
  ["has a list of addresses", claim("htu", [request.url]), "wrong_url"],
  ["has no iat", claim("iat"), "invalid_iat"],
  ["has an iat that is a string", claim("iat", String(now)), "invalid_iat"],
  ["has a fractional iat", claim("iat", now + 0.5), "invalid_iat"],
  [
    "has an infinite iat",
    json("claims", (claims) => claims.replace(`"iat":${now}`, '"iat":1e999')),
    "invalid_iat",
  ],
  ["has a negative iat", claim("iat", -1), "invalid_iat"],
  ["was made 61 seconds ago", claim("iat", now - 61), "too_old"],
  ["was made 6 seconds ahead", claim("iat", now + 6), "from_the_future"],
  ["has an iat in milliseconds", claim("iat", now * 1000), "from_the_future"],
  ["has no jti", claim("jti"), "invalid_jti"],
  ["has an empty jti", claim("jti", ""), "invalid_jti"],
  ["has a jti that is a number", claim("jti", 1), "invalid_jti"],
  ["has a jti of 257 characters", claim("jti", "x".repeat(257)), "invalid_jti"],
  ["has a NUL in its jti", claim("jti", "a\0b"), "invalid_jti"],
  ["has half a surrogate pair in its jti", claim("jti", "\ud800"), "not_utf8"],
  ["has no ath", claim("ath"), "missing_ath"],
  ["has the ath of another token", claim("ath", "x".repeat(43)), "wrong_ath"],
  ["has a null ath", claim("ath", null), "wrong_ath"],
];

/** Proofs that are right, each with one liberty that the standards allow. */
export const accepted: Case[] = liberties.map(([name, change]) => ({ name, change }));

/** Proofs with one fault, and the reason they are refused for. */
export const refusals: Refusal[] = faults.map(([name, change, reason]) => ({ name, change, reason }));

/** The same bytes after decoding when the last bits do not count: the last character is the next of the alphabet. */
function withStrayBits(encoded: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return encoded.slice(0, -1) + alphabet[alphabet.indexOf(encoded.at(-1) as string) + 1];
}
