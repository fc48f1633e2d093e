import { jwkThumbprint } from "@authz/dpop";
import { importPublicJwk, isJsonObject, JwsError, type PublicJwk } from "@authz/dpop/jws";
import type { ClientKey } from "../../../store/clients.js";
import { ClientDocumentError } from "./document-error.js";

/** More than two are never needed at once; a few more do no harm. */
const mostKeys = 8;
/** What only a private or a symmetric key has (RFC 7518 §6). */
const secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * Looks at every key of a JWK set, also where none is needed: one that is private and in public is an accident that its publisher should
 * hear of.
 *
 * @throws {ClientDocumentError} `document_secret`
 */
export function refuseSecretKeys(set: unknown): void {
  const isSecret = (jwk: unknown) =>
    isJsonObject(jwk) && secretMembers.some((member) => Object.hasOwn(jwk, member));
  if (keysOf(set).some(isSecret)) throw new ClientDocumentError("document_secret");
}

/**
 * The keys for ES256 of a JWK set (RFC 7517 §5); others are left out. One without `kid` is called by its thumbprint.
 *
 * @throws {ClientDocumentError} `document_secret`: one of them is private. `document_keys`: none is left.
 */
export function readClientKeys(set: unknown): readonly ClientKey[] {
  refuseSecretKeys(set);
  const found = new Map<string, ClientKey>();
  for (const jwk of keysOf(set)) {
    const key = readKey(jwk);
    if (key !== undefined && !found.has(key.kid)) found.set(key.kid, key);
  }
  if (found.size === 0) throw new ClientDocumentError("document_keys");
  return [...found.values()].slice(0, mostKeys);
}

function keysOf(set: unknown): readonly unknown[] {
  const keys = isJsonObject(set) ? set["keys"] : undefined;
  return Array.isArray(keys) ? (keys as readonly unknown[]) : [];
}

function readKey(jwk: unknown): ClientKey | undefined {
  if (!isJsonObject(jwk)) return undefined;
  try {
    importPublicJwk(jwk);
  } catch (error) {
    if (error instanceof JwsError) return undefined;
    throw error;
  }
  const { x, y } = jwk as unknown as PublicJwk;
  const publicJwk: PublicJwk = { kty: "EC", crv: "P-256", x, y };
  const { kid = jwkThumbprint(publicJwk) } = jwk;
  return typeof kid === "string" && /^[\x21-\x7e]{1,256}$/.test(kid) ? { kid, publicJwk } : undefined;
}
