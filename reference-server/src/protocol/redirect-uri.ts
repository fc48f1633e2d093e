const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9]\d{0,4}))?(\/[^\s#]*)$/;

/**
 * Whether a redirect URI of a request is one of those registered for the client.
 *
 * Registered loopback addresses match with any port (RFC 8252 §7.3), and so does `localhost`: programs in use register it without one
 * and listen where there is room. The three are not each other. Everything else is compared character by character
 * (RFC 9700 §2.1).
 */
export function isRegisteredRedirectUri(redirectUri: string, registered: readonly string[]): boolean {
  if (registered.includes(redirectUri)) return true;
  const candidate = withoutPort(redirectUri);
  return candidate !== undefined && registered.some((uri) => withoutPort(uri) === candidate);
}

/** What a person reads about where the answer goes: host and port, or the scheme of a program's own. */
export function redirectPlace(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host === "" ? protocol : host;
}

/**
 * The source expression that lets a page's form end at the redirect URI.
 *
 * Chromium applies `form-action` to the redirects after a post as well. The grammar of CSP has no IPv6
 * literals, so `[::1]` can only be allowed by its scheme, and a scheme of a program's own has no origin.
 */
export function formActionSource(redirectUri: string): string {
  const url = new URL(redirectUri);
  return url.origin === "null" || url.hostname.startsWith("[") ? url.protocol : url.origin;
}

function withoutPort(uri: string): string | undefined {
  const match = loopback.exec(uri);
  if (match === null || Number(match[2] ?? 80) > 65_535) return undefined;
  return `http://${match[1]}${match[3]}`;
}
