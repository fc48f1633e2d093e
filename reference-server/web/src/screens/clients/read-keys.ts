import { readPem } from "./pem";

type Jwk = Record<string, unknown>;

/** Why a pasted text is no public key of a client. */
export type KeyFault =
  | { readonly reason: "empty" | "notJson" | "notKey" | "isPrivate" | "notP256" | "noKid" }
  | { readonly reason: "twice"; readonly kid: string };

export interface ReadKeys {
  readonly keys: Jwk[];
  readonly faults: readonly { readonly index: number; readonly fault: KeyFault }[];
}

/** Reads pasted keys. The server checks that points are on the curve. */
export function readKeys(texts: readonly string[]): ReadKeys {
  const keys: Jwk[] = [];
  const faults: { index: number; fault: KeyFault }[] = [];
  const seen = new Set<unknown>();
  for (const [index, text] of texts.entries()) {
    const read = readKey(text);
    if ("reason" in read) faults.push({ index, fault: read });
    else if (seen.has(read.jwk["kid"])) {
      faults.push({ index, fault: { reason: "twice", kid: String(read.jwk["kid"]) } });
    } else keys.push(read.jwk);
    if ("jwk" in read) seen.add(read.jwk["kid"]);
  }
  return { keys, faults };
}

/** Reads one pasted text as the public JWK of a client. */
export function readKey(text: string): { readonly jwk: Jwk } | KeyFault {
  if (text.trim() === "") return { reason: "empty" };
  const pem = readPem(text);
  if (pem === "private") return { reason: "isPrivate" };
  if (pem === "other") return { reason: "notP256" };
  const jwk = pem?.jwk ?? parseObject(text);
  if (jwk === undefined) return { reason: "notJson" };
  if (!("kty" in jwk)) return { reason: "notKey" };
  if ("d" in jwk || "k" in jwk) return { reason: "isPrivate" };
  if (jwk["kty"] !== "EC" || jwk["crv"] !== "P-256") return { reason: "notP256" };
  if (typeof jwk["kid"] !== "string" || jwk["kid"] === "") return { reason: "noKid" };
  return { jwk };
}

/** The keys of a pasted key set, one text each; any other text as it is. */
export function splitKeySet(text: string): readonly string[] {
  const keys = parseObject(text)?.["keys"];
  if (!Array.isArray(keys) || keys.length === 0) return [text];
  return keys.map((key) => JSON.stringify(key, undefined, 2));
}

function parseObject(text: string): Jwk | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Jwk) : undefined;
  } catch {
    return undefined;
  }
}
