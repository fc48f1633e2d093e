const scopeText = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** The distinct scopes of a `scope` parameter in order, or `undefined` when it is malformed (RFC 6749 §3.3). */
export function parseScope(text: string): readonly string[] | undefined {
  return scopeText.test(text) ? [...new Set(text.split(" "))] : undefined;
}
