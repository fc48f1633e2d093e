/** The host in the examples of messages. */
const hosts = { issuer: "authz", publicOrigin: "service", discoveryProxyOrigin: "discovery" } as const;

type UrlOption = keyof typeof hosts;

/**
 * Checks that a value is an exact origin: scheme, host and port as a URL parser writes them, and nothing else.
 *
 * @throws {TypeError} The message names the option and the remedy.
 */
export function checkOrigin(option: UrlOption, value: unknown, allowInsecureLoopback: boolean): string {
  const url = checkUrl(option, value, allowInsecureLoopback);
  if (url.origin !== value) {
    throw new TypeError(
      `${option} must be an exact origin without path, query or trailing slash. Write "${url.origin}".`,
    );
  }
  return value;
}

/**
 * Checks an issuer identifier: an absolute URL without query, fragment, credentials or trailing slash.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2 | RFC 8414 §2}
 */
export function checkIssuer(value: unknown, allowInsecureLoopback: boolean): string {
  const url = checkUrl("issuer", value, allowInsecureLoopback);
  const canonical = url.origin + (url.pathname === "/" ? "" : url.pathname);
  if (canonical !== value || canonical.endsWith("/")) {
    throw new TypeError(
      'issuer must be the exact public URL of the authorization server, without query, fragment or trailing slash, such as "https://authz.example.com".',
    );
  }
  return value;
}

function checkUrl(option: UrlOption, value: unknown, allowInsecureLoopback: boolean): URL {
  if (typeof value !== "string" || !URL.canParse(value)) {
    throw new TypeError(`${option} must be an absolute URL such as "https://${hosts[option]}.example.com".`);
  }
  const url = new URL(value);
  if (url.username !== "" || url.password !== "") {
    throw new TypeError(`${option} must not contain credentials.`);
  }
  if (!isTransportAllowed(url, allowInsecureLoopback)) throw new TypeError(explainScheme(option, url));
  return url;
}

/** Whether a URL may be used: https always, http only on loopback and only if allowed. */
function isTransportAllowed(url: URL, allowInsecureLoopback: boolean): boolean {
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && allowInsecureLoopback && isLoopbackHost(url.hostname);
}

/** Whether a host, as a URL parser writes it, is loopback: 127.0.0.0/8, [::1] or localhost. */
function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function explainScheme(option: UrlOption, url: URL): string {
  if (url.protocol === "http:" && isLoopbackHost(url.hostname)) {
    return `${option} uses http. Set allowInsecureLoopback: true for development on loopback, or use https.`;
  }
  return `${option} must use https. Plain http is possible only on a loopback address with allowInsecureLoopback: true.`;
}
