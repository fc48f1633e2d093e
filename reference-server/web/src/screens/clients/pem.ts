type Jwk = Record<string, unknown>;

/** A SubjectPublicKeyInfo of an uncompressed P-256 point, up to the point itself (RFC 5480 §2). */
const p256Prefix = "3059301306072a8648ce3d020106082a8648ce3d03010703420004";
const coordinateBytes = 32;

/** Reads a PEM block; `undefined` for any other text. */
export function readPem(text: string): { readonly jwk: Jwk } | "private" | "other" | undefined {
  const [, label, base64] =
    /^-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----$/.exec(text.trim()) ?? [];
  if (label === undefined || base64 === undefined) return undefined;
  if (label.endsWith("PRIVATE KEY")) return "private";
  const bytes = label === "PUBLIC KEY" ? decode(base64) : undefined;
  const start = p256Prefix.length / 2;
  if (bytes?.length !== start + 2 * coordinateBytes) return "other";
  const prefix = Array.from(bytes.slice(0, start), (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (prefix !== p256Prefix) return "other";
  const x = encode(bytes.slice(start, start + coordinateBytes));
  const y = encode(bytes.slice(start + coordinateBytes));
  return { jwk: { kty: "EC", crv: "P-256", kid: kidOf(x), x, y } };
}

/** A key id derived from the key, so that it is the same everywhere. */
export function kidOf(x: string): string {
  return x.slice(0, 16);
}

function decode(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64.replaceAll(/\s/g, "")), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
