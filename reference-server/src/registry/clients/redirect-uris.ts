import type { ClientType } from "../../store/clients.js";

const loopbackHosts = ["127.0.0.1", "[::1]"];
const privateScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

/**
 * Why a redirect URI cannot be registered, or `undefined` when it can.
 *
 * HTTPS, plain HTTP to a loopback address with any port at use (RFC 8252 §7.3), or, for a program that can keep no
 * secret, a scheme of its own that is a reversed domain name (RFC 8252 §7.1).
 */
export function redirectUriFault(uri: string, type: ClientType): string | undefined {
  if (!URL.canParse(uri) || !/^[\x21-\x7e]+$/.test(uri)) return "must be an absolute URI";
  if (uri.includes("#")) return "must have no fragment";
  if (uri.includes("*")) return "must have no wildcard: redirect URIs are compared character by character";
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== "" || password !== "") return "must have no credentials";
  if (protocol === "https:") return undefined;
  if (protocol === "http:") {
    if (loopbackHosts.includes(hostname)) return undefined;
    return "must be an https: URI; http: is for http://127.0.0.1/... and http://[::1]/... only, never localhost";
  }
  if (!privateScheme.test(protocol))
    return "must be https:, or a scheme that is a reversed domain name, such as com.acme.app:";
  return type === "public" ? undefined : "must be an https: URI: a scheme of its own is for public clients";
}
