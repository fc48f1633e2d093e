import type { JsonObject } from "./strict-json.js";

/**
 * Whether a header declares the expected type. Case does not matter, and `application/` may be left out.
 *
 * @param expected - lower case and without `application/`, such as `at+jwt`
 * @see {@link https://www.rfc-editor.org/rfc/rfc7515#section-4.1.9 | RFC 7515 §4.1.9}
 */
export function hasType(header: JsonObject, expected: string): boolean {
  const typ = header["typ"];
  if (typ === expected) return true;
  if (typeof typ !== "string") return false;
  const lowered = typ.toLowerCase();
  return (lowered.startsWith("application/") ? lowered.slice("application/".length) : lowered) === expected;
}
