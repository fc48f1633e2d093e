import type { KeyObject } from "node:crypto";
import { importPublicJwk, isJsonObject, type JsonObject, JwsError } from "@authz/dpop/jws";

/** The usable keys of a key set by `kid`, and the number of unusable ones. */
export interface KeySet {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly unusable: number;
}

const maximumKeys = 1000;

/**
 * Reads a key set and keeps the keys that can verify ES256.
 *
 * Leaves out keys that are foreign, malformed, have private members or share their `kid` with another key, because choosing one
 * of two would be a guess. Undefined when the document is not a key set.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7517#section-5 | RFC 7517 §5}
 */
export function parseKeySet(document: unknown): KeySet | undefined {
  const jwks = readKeys(document);
  if (jwks === undefined) return undefined;
  const repeated = findRepeated(jwks.map(({ kid }) => kid));
  const keys = new Map<string, KeyObject>();
  for (const jwk of jwks) {
    const { kid } = jwk;
    if (typeof kid !== "string" || kid === "" || repeated.has(kid)) continue;
    const key = importUsable(jwk);
    if (key !== undefined) keys.set(kid, key);
  }
  return { keys, unusable: jwks.length - keys.size };
}

function readKeys(document: unknown): readonly JsonObject[] | undefined {
  const keys: unknown = isJsonObject(document) ? document["keys"] : undefined;
  return Array.isArray(keys) && keys.length <= maximumKeys && keys.every(isJsonObject) ? keys : undefined;
}

function findRepeated(values: readonly unknown[]): ReadonlySet<unknown> {
  return new Set(values.filter((value, index) => values.indexOf(value) !== index));
}

function importUsable(jwk: unknown): KeyObject | undefined {
  try {
    return importPublicJwk(jwk);
  } catch (error) {
    if (error instanceof JwsError) return undefined;
    throw error;
  }
}
