const scopeToken = /^[\x21\x23-\x5B\x5D-\x7E]+$/;
const maximumLength = 4096;

/**
 * Splits a `scope` value into its distinct scopes; undefined when it is malformed. Single spaces separate.
 *
 * What others send may be any scope that the standard knows; only `namespace:permission` is ever supported.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-3.3 | RFC 6749 §3.3}
 */
export function parseScope(value: unknown): readonly string[] | undefined {
  if (typeof value !== "string" || value.length > maximumLength) return undefined;
  if (value === "") return [];
  const scopes = value.split(" ");
  return scopes.every((scope) => scope.length <= 256 && scopeToken.test(scope))
    ? [...new Set(scopes)]
    : undefined;
}
