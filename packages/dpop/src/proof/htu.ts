// Scheme, host, port, path. Query and fragment may follow; user information may not occur.
const httpUri = /^(https?):\/\/([^/?#@:[\]]+|\[[0-9a-f:.]+\])(?::([0-9]*))?(\/[^?#]*)?(?:[?#]|$)/i;
const defaultPorts = { http: "80", https: "443" } as const;
// The printable ASCII characters without quotation mark, angle brackets and backslash.
const allowedCharacters = /^[!#-;=?-[\]-~]*$/;

/**
 * Whether a proof's `htu` names the URL of the request. Query and fragment are ignored on both sides.
 *
 * Equal strings, the normal case, are not parsed. Otherwise both sides are normalized by syntax and scheme.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-4.3 | RFC 9449 §4.3, check 9}
 * @see {@link https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2 | RFC 3986 §6.2.2 and §6.2.3}
 */
export function isSameTarget(htu: string, requestUrl: string): boolean {
  if (htu === requestUrl || isWithoutQuery(htu, requestUrl)) return true;
  const normalized = normalizeTarget(htu);
  return normalized !== undefined && normalized === normalizeTarget(requestUrl);
}

function isWithoutQuery(htu: string, requestUrl: string): boolean {
  return requestUrl[htu.length] === "?" && requestUrl.startsWith(htu);
}

/** The normal form of an http(s) URI without query and fragment, or undefined when it is none. */
export function normalizeTarget(uri: string): string | undefined {
  const parts = httpUri.exec(uri);
  if (parts === null || !allowedCharacters.test(uri)) return undefined;
  const scheme = (parts[1] as string).toLowerCase() as keyof typeof defaultPorts;
  const host = normalizePercentEncoding(parts[2] as string)?.toLowerCase();
  const path = normalizePercentEncoding(parts[4] ?? "/");
  if (host === undefined || path === undefined) return undefined;
  const port = parts[3] ?? "";
  const authority = port === "" || port === defaultPorts[scheme] ? host : `${host}:${port}`;
  return `${scheme}://${authority}${removeDotSegments(path)}`;
}

/** Decodes unreserved characters and writes the other escapes in upper case; undefined for a broken escape. */
function normalizePercentEncoding(part: string): string | undefined {
  if (!part.includes("%")) return part;
  if (/%(?![0-9A-Fa-f]{2})/.test(part)) return undefined;
  return part.replace(/%[0-9A-Fa-f]{2}/g, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });
}

/** RFC 3986 §5.2.4 for an absolute path. */
function removeDotSegments(path: string): string {
  const segments: string[] = [];
  const parts = path.split("/").slice(1);
  for (const [index, segment] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (segment === "..") segments.pop();
    if (segment !== "." && segment !== "..") segments.push(segment);
    else if (isLast) segments.push("");
  }
  return `/${segments.join("/")}`;
}
