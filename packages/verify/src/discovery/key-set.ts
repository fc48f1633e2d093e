import type { KeyObject } from "node:crypto";
import { importPublicJwk, JwsError } from "@authz/dpop/jws";
import { z } from "zod";

/** The usable keys of a key set by `kid`, and how many were left out. */
export interface KeySet {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly unusable: number;
}

const keySetSchema = z.looseObject({ keys: z.array(z.record(z.string(), z.unknown())).max(1000) });

/**
 * Reads a key set and keeps the keys that can verify ES256.
 *
 * A key that is foreign, malformed, has private members or shares its `kid` with another one is left out: it is never
 * guessed which of two keys is meant. Undefined when the document is no key set.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7517#section-5 | RFC 7517 §5}
 */
export function parseKeySet(document: unknown): KeySet | undefined {
  const parsed = keySetSchema.safeParse(document);
  if (!parsed.success) return undefined;
  const repeated = findRepeated(parsed.data.keys.map(({ kid }) => kid));
  const keys = new Map<string, KeyObject>();
  for (const jwk of parsed.data.keys) {
    const { kid } = jwk;
    if (typeof kid !== "string" || kid === "" || repeated.has(kid)) continue;
    const key = importUsable(jwk);
    if (key !== undefined) keys.set(kid, key);
  }
  return { keys, unusable: parsed.data.keys.length - keys.size };
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
