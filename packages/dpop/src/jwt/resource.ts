/**
 * The canonical form of a resource identifier, for comparison: scheme and host in lower case, no default port, and no slash
 * for an empty path. `undefined` when it is not an absolute `http` or `https` URL, or has a query, a fragment or credentials.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8707#section-2 | RFC 8707 §2}
 */
export function canonicalResource(value: string): string | undefined {
  if (!/^https?:\/\/[^\s?#\\]+$/i.test(value) || !URL.canParse(value)) return undefined;
  const { protocol, username, password, origin, pathname } = new URL(value);
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  if (username !== "" || password !== "") return undefined;
  return pathname === "/" ? origin : `${origin}${pathname}`;
}
