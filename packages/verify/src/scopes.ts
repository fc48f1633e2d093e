const scopeToken = /^[\x21\x23-\x5B\x5D-\x7E]+$/;
const maximumLength = 4096;

/** Whether a text is one scope. @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-3.3 | RFC 6749 §3.3} */
export function isScope(text: unknown): text is string {
  return typeof text === "string" && text.length <= 256 && scopeToken.test(text);
}

/** Splits a `scope` value into its distinct scopes; undefined when it is malformed. Single spaces separate. */
export function parseScope(value: unknown): readonly string[] | undefined {
  if (typeof value !== "string" || value.length > maximumLength) return undefined;
  if (value === "") return [];
  const scopes = value.split(" ");
  return scopes.every(isScope) ? [...new Set(scopes)] : undefined;
}
