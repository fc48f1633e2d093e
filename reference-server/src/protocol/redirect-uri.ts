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

/** Why a redirect URI cannot be registered. */
type RedirectFault =
  | "absoluteUri"
  | "noFragment"
  | "noWildcard"
  | "noCredentials"
  | "hostSpelling"
  | "httpsOrLoopback"
  | "localhostIsPublic"
  | "schemeName"
  | "schemeIsPublic";

/** A program that can keep no secret, one that can, or one that acts for itself. */
type Kind = "public" | "confidential" | "machine";

/** `localhost` is left to programs that can keep no secret: what it resolves to is up to each computer (RFC 8252 §8.3). */
const loopbackHosts: Readonly<Record<Kind, readonly string[]>> = {
  public: ["127.0.0.1", "[::1]", "localhost"],
  confidential: ["127.0.0.1", "[::1]"],
  machine: [],
};
const defaultPorts: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };
const privateScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

/**
 * Why a redirect URI cannot be registered, or `undefined` when it can.
 *
 * HTTPS, plain HTTP to a loopback address with any port at use (RFC 8252 §7.3), or, for a program that can keep no
 * secret, to `localhost`, or a scheme of its own that is a reversed domain name (RFC 8252 §7.1).
 */
export function redirectUriFault(uri: string, type: Kind): RedirectFault | undefined {
  // Browsers read a backslash as a slash; to others, what comes before it can be a user name and the host what follows an @.
  if (!URL.canParse(uri) || !/^[\x21-\x5b\x5d-\x7e]+$/.test(uri)) return "absoluteUri";
  if (uri.includes("#")) return "noFragment";
  if (uri.includes("*")) return "noWildcard";
  const url = new URL(uri);
  const { protocol, hostname, username, password } = url;
  if (username !== "" || password !== "") return "noCredentials";
  if (protocol in defaultPorts && !isSpelledOut(uri, url)) return "hostSpelling";
  if (protocol === "https:") return undefined;
  if (protocol === "http:") {
    if (loopbackHosts[type].includes(hostname)) return undefined;
    return hostname === "localhost" ? "localhostIsPublic" : "httpsOrLoopback";
  }
  if (!privateScheme.test(protocol)) return "schemeName";
  return type === "public" ? undefined : "schemeIsPublic";
}

/**
 * The hosts that the answers at these redirect URIs go to, each with its port unless that is 443. A loopback address is none, and a scheme
 * of a program's own has the empty one.
 */
export function redirectHosts(redirectUris: readonly string[]): readonly string[] {
  const urls = redirectUris.map((uri) => new URL(uri));
  const remote = urls.filter(
    ({ protocol, hostname }) => protocol !== "http:" || !loopbackHosts.public.includes(hostname),
  );
  return [...new Set(remote.map(({ host }) => host))];
}

/**
 * Whether the text names its host as the URL standard spells it, which reads `https:host`, `https:/host` and `http://127.1` as well: what
 * compares texts would see another host in them, or none.
 */
function isSpelledOut(uri: string, { protocol, host, hostname }: URL): boolean {
  const [, authority] = /^https?:\/\/([^/?#]+)/.exec(uri) ?? [];
  return authority === host || authority === `${hostname}:${defaultPorts[protocol]}`;
}
