const loneSurrogate = /[\uD800-\uDFFF]/u;

/**
 * Serializes a JSON value by the JSON Canonicalization Scheme: members sorted by their UTF-16 code units, no white space. Equal values
 * have equal text, so a digest of it names the value.
 *
 * @throws {TypeError} The value is not JSON: it contains `undefined`, a number that is not finite, a lone surrogate or the like.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8785 | RFC 8785}
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return canonicalString(value);
  if (typeof value === "number") return canonicalNumber(value);
  if (typeof value === "boolean" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object") throw new TypeError(`canonicalJson: ${typeof value} is not a JSON value`);
  let members = "";
  // The order of `sort` is that of UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    if (members !== "") members += ",";
    members += `${canonicalString(name)}:${canonicalJson((value as Readonly<Record<string, unknown>>)[name])}`;
  }
  return `{${members}}`;
}

function canonicalString(value: string): string {
  if (loneSurrogate.test(value)) throw new TypeError("canonicalJson: a string contains a lone surrogate");
  return JSON.stringify(value);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError("canonicalJson: a number is not finite");
  return JSON.stringify(value);
}
