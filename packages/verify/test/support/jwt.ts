import { sign } from "node:crypto";
import { type Es256KeyPair, generateEs256KeyPair } from "@authz/dpop";
import { importPrivateJwk } from "@authz/dpop/jws";

/** A JWT before it is signed. Tests change one thing in it. */
export interface JwtDraft {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** Who signs. */
  key: Es256KeyPair;
  /** Changes the finished text. */
  changeText?: (text: string) => string;
  /** Replaces the JSON of the claims. */
  claimsJson?: string;
}

/** Signs a draft without looking at what is in it. */
export function signDraft(draft: JwtDraft): string {
  const header = encode(JSON.stringify(draft.header));
  const claims = encode(draft.claimsJson ?? JSON.stringify(draft.claims));
  const input = `${header}.${claims}`;
  const signature = sign("sha256", Buffer.from(input), {
    key: importPrivateJwk(draft.key.privateJwk),
    dsaEncoding: "ieee-p1363",
  });
  const text = `${input}.${signature.toString("base64url")}`;
  return draft.changeText?.(text) ?? text;
}

/** The claims of a JWT, unverified. */
export function readClaims(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
}

/** The header of a JWT, unverified. */
export function readHeader(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()) as Record<string, unknown>;
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

export const issuerKey: Es256KeyPair = await generateEs256KeyPair();
export const serviceKey: Es256KeyPair = await generateEs256KeyPair();
export const clientKey: Es256KeyPair = await generateEs256KeyPair();
export const otherKey: Es256KeyPair = await generateEs256KeyPair();
