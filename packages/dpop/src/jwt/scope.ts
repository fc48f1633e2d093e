/**
 * The form of a scope that a service registers: `namespace:permission`. None of its characters is special in a shell, a
 * header or a page.
 */
export const scopePattern: RegExp = /^[a-z0-9-]+:[a-z0-9-]+$/;

const maximumScopeLength = 200;
const scopeToken = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** Whether a value is a scope as services register them, of at most 200 characters. */
export function isScope(value: unknown): value is string {
  return typeof value === "string" && value.length <= maximumScopeLength && scopePattern.test(value);
}

/**
 * Whether a value is any scope that OAuth allows, as third parties use them.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-3.3 | RFC 6749 §3.3}
 */
export function isScopeToken(value: unknown): value is string {
  return typeof value === "string" && scopeToken.test(value);
}

/**
 * Splits a `scope` parameter or claim at its single spaces into distinct scopes; undefined when it is malformed.
 *
 * Accepts any scope that OAuth allows; only `namespace:permission` is ever granted. At most 4096 characters, and 256 per
 * scope.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-3.3 | RFC 6749 §3.3}
 */
export function parseScope(value: unknown): readonly string[] | undefined {
  if (typeof value !== "string" || value.length > 4096) return undefined;
  if (value === "") return [];
  const scopes = value.split(" ");
  return scopes.every((scope) => scope.length <= 256 && scopeToken.test(scope))
    ? [...new Set(scopes)]
    : undefined;
}
