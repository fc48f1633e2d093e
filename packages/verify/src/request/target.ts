import { AuthzError } from "../errors.js";

const absoluteForm = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/;

/**
 * The path of a request target as written, without query and fragment; undefined when it has none.
 *
 * Only the path is taken from the request. No URL parser is used, because a host in absolute form or a path that starts with two
 * slashes must not change the origin.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9112#section-3.2 | RFC 9112 §3.2}
 */
export function findPath(target: string): string | undefined {
  const authority = target.startsWith("/") ? "" : absoluteForm.exec(target)?.[0];
  if (authority === undefined) return undefined;
  const fragment = target.indexOf("#", authority.length);
  const beforeFragment = fragment === -1 ? target.length : fragment;
  const query = target.indexOf("?", authority.length);
  const end = query === -1 || query > beforeFragment ? beforeFragment : query;
  return end === authority.length ? "/" : target.slice(authority.length, end);
}

/**
 * The path of a request target.
 *
 * @throws {AuthzError} `invalid_request`: the target is neither a path nor an absolute URL.
 */
export function readPath(target: string): string {
  const path = findPath(target);
  if (path === undefined) throw new AuthzError("invalid_request", "request_target_malformed");
  return path;
}

/** The query of a request target, without its question mark; empty when there is none. */
export function readQuery(target: string): string {
  const start = target.indexOf("?");
  if (start === -1) return "";
  const end = target.indexOf("#", start);
  return target.slice(start + 1, end === -1 ? undefined : end);
}
