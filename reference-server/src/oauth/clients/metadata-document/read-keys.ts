import { isJsonObject, JwsError, importPublicJwk, type PublicJwk } from "@authz/dpop/jws";
import { jwkThumbprint } from "@authz/dpop";
import type { ClientKey } from "../../../store/clients.js";
import { ClientDocumentError } from "./document-error.js";

/** More than two are never needed at once; a few more do no harm. */
const mostKeys = 8;

/**
 * The keys for ES256 of a JWK set (RFC 7517 §5); others are left out. One without `kid` is called by its thumbprint.
 *
 * @throws {ClientDocumentError} `document_secret`: one of them is private. `document_keys`: none is left.
 */
export function readClientKeys(set: unknown): readonly ClientKey[] {
  const listed = isJsonObject(set) ? set["keys"] : undefined;
  const found = new Map<string, ClientKey>();
  for (const jwk of Array.isArray(listed) ? (listed as readonly unknown[]) : []) {
    const key = readKey(jwk);
    if (key !== undefined && !found.has(key.kid)) found.set(key.kid, key);
  }
  if (found.size === 0) throw new ClientDocumentError("document_keys");
  return [...found.values()].slice(0, mostKeys);
}

function readKey(jwk: unknown): ClientKey | undefined {
  if (!isJsonObject(jwk)) return undefined;
  try {
    importPublicJwk(jwk);
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    if (error.reason === "private_key") throw new ClientDocumentError("document_secret");
    return undefined;
  }
  const { x, y } = jwk as unknown as PublicJwk;
  const publicJwk: PublicJwk = { kty: "EC", crv: "P-256", x, y };
  const { kid = jwkThumbprint(publicJwk) } = jwk;
  return typeof kid === "string" && /^[\x21-\x7e]{1,256}$/.test(kid) ? { kid, publicJwk } : undefined;
}
