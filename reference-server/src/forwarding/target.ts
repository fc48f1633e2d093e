import { isLoopbackHost } from "../platform/outbound/addresses.js";

/** Why an address is refused before anything is sent. */
export type TargetReason =
  | "missing"
  | "several"
  | "too_long"
  | "characters"
  | "not_absolute"
  | "scheme"
  | "user_information"
  | "fragment"
  | "host"
  | "path_encoding"
  | "path_segments"
  | "not_covered";

/** The address of a request is refused. The message says what to change, and quotes nothing of it. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  readonly reason: TargetReason;
  /** Where it would have gone, if that could be read. */
  readonly host: string | undefined;
  constructor(reason: TargetReason, host?: string) {
    super(messages[reason]);
    this.reason = reason;
    this.host = host;
  }
}

const messages: Readonly<Record<TargetReason, string>> = {
  missing: "The header Authz-Target is missing. Put the address of the third party there.",
  several: "The header Authz-Target appears more than once. Send one address.",
  too_long: "The address is too long.",
  characters:
    "The address contains characters that an address cannot have: spaces, backslashes, control characters or letters beyond ASCII. Percent-encode them.",
  not_absolute: "The address is not absolute. It must begin with https:// and a host.",
  scheme: "The address is not an https: address.",
  user_information: "The address contains a user name or a password. Leave them out.",
  fragment: "The address contains a fragment (#…). Leave it out.",
  host: "The host of the address is not a plain host name.",
  path_encoding:
    "The path of the address contains an encoded dot, slash, backslash or control character, or an incomplete encoding.",
  path_segments: "The path of the address contains an empty segment, or one with only dots.",
  not_covered: "The connector does not allow this address. Its request prefixes say which ones it does.",
};

/** An address that a connector allows, in the form in which it is sent. */
export interface Target {
  readonly url: URL;
  /** The path of the prefix that covers it, without a slash at its end. */
  readonly prefixPath: string;
}

export interface TargetRules {
  /** Absolute URLs: the origin exactly, the path by whole segments. */
  readonly requestPrefixes: readonly string[];
  /** Plain HTTP to loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
}

const maxLength = 8_192;
/** Of a name in DNS (RFC 1035 §2.3.4). */
const maxHostLength = 253;
const absolute = /^(https?):\/\/([^/?]*)([^?]*)(?:\?.*)?$/i;
/** A name of labels, or an IPv6 address; then perhaps a port. */
const authorityForm =
  /^([a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
/** Also encoded repeatedly: a server behind the third party's gateway may decode again. */
const hiddenCharacter = /%(?:25)*(?:2e|2f|5c|[01][0-9a-f]|7f)/i;
const brokenEncoding = /%(?![0-9a-f]{2})/i;

/**
 * Decides whether a request may go to an address.
 *
 * An address that URL parsers would repair or simplify is refused, so that what is compared is what is sent.
 *
 * @param values - every `Authz-Target` header
 * @throws {TargetError}
 */
export function checkTarget(values: readonly string[], rules: TargetRules): Target {
  const [text, ...others] = values;
  if (text === undefined || text === "") throw new TargetError("missing");
  if (others.length > 0) throw new TargetError("several");
  const url = parseTarget(text, rules.allowInsecureLoopback);
  const prefixPath = rules.requestPrefixes
    .map((prefix) => coveringPath(prefix, url))
    .filter((path) => path !== undefined)
    .reduce<string | undefined>(
      (longest, path) => (longest !== undefined && longest.length >= path.length ? longest : path),
      undefined,
    );
  if (prefixPath === undefined) throw new TargetError("not_covered", url.host);
  return { url, prefixPath };
}

/**
 * Reads an address that every parser reads the same.
 *
 * @throws {TargetError}
 */
export function parseTarget(text: string, allowInsecureLoopback: boolean): URL {
  if (text.length > maxLength) throw new TargetError("too_long");
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes("\\")) throw new TargetError("characters");
  if (text.includes("#")) throw new TargetError("fragment");
  const [, scheme, authority = "", path = ""] = absolute.exec(text) ?? [];
  if (scheme === undefined) {
    const other = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
    throw new TargetError(other === undefined || other.startsWith("http") ? "not_absolute" : "scheme");
  }
  if (authority.includes("@")) throw new TargetError("user_information");
  const host = authorityForm.exec(authority)?.[1]?.toLowerCase();
  if (host === undefined || host.length > maxHostLength || !URL.canParse(text)) throw new TargetError("host");
  checkPath(path);
  const url = new URL(text);
  // Other spellings of an IP address (0x7f.1, 2130706433) are normalized to something else.
  if (url.hostname !== host) throw new TargetError("host");
  const insecureLoopback = url.protocol === "http:" && allowInsecureLoopback && isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !insecureLoopback) throw new TargetError("scheme", url.host);
  return url;
}

function checkPath(path: string): void {
  if (hiddenCharacter.test(path) || brokenEncoding.test(path) || !isUtf8(path)) {
    throw new TargetError("path_encoding");
  }
  const segments = path.split("/").slice(1);
  const faulty = segments.some((segment, index) => {
    if (segment === "") return index < segments.length - 1;
    // Some servers strip parameters before they resolve dots: `..;x`, or decode first: `..%3bx`.
    const [name] = segment.split(/;|%(?:25)*3b/i, 1);
    return name === "." || name === "..";
  });
  if (faulty) throw new TargetError("path_segments");
}

/** Whether the encoded bytes are UTF-8: overlong forms hide dots and slashes. */
function isUtf8(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The path of a prefix that covers the address. */
function coveringPath(prefix: string, url: URL): string | undefined {
  if (!URL.canParse(prefix)) return undefined;
  const allowed = new URL(prefix);
  if (allowed.origin !== url.origin || allowed.search !== "" || allowed.username !== "") return undefined;
  const path = allowed.pathname.replace(/\/+$/, "");
  return url.pathname === path || url.pathname.startsWith(`${path}/`) ? path : undefined;
}

/** The target that `read` finds, or `undefined` if there is none: it is refused later, in its order. */
export function ifTarget<Found>(read: () => Found): Found | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TargetError) return undefined;
    throw error;
  }
}
