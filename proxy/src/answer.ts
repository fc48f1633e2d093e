import type { IncomingHttpHeaders } from "node:http";

/** A complete response of the upstream, for any number of callers. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn, without `Age` and `Content-Length`. */
  readonly headers: readonly string[];
  /** Bytes, one per character, because Node writes headers and a latin1 string together, which costs a fifth less. */
  readonly body: string;
  readonly etag: string | undefined;
}

/**
 * The forwarded headers: type, freshness and access of the body. All others describe the upstream's own connection or
 * origin (`Strict-Transport-Security`, `Alt-Svc`, `Server`, …) and would be wrong here.
 */
const passedHeaders = [
  "Content-Type",
  "Content-Encoding",
  "Content-Language",
  "Cache-Control",
  "Date",
  "ETag",
  "Expires",
  "Last-Modified",
  "Vary",
  "Retry-After",
  "WWW-Authenticate",
  "X-Content-Type-Options",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
] as const;

/** Those that are sent with 304 as well (RFC 9110 §15.4.5). */
const headersOfNotModified = new Set([
  "Cache-Control",
  "Date",
  "ETag",
  "Expires",
  "Vary",
  "Access-Control-Allow-Origin",
]);

export function createAnswer(status: number, headers: IncomingHttpHeaders, body: Buffer): Answer {
  const passed = passedHeaders.flatMap((name) => {
    const value = headers[name.toLowerCase()];
    return value === undefined ? [] : [name, String(value)];
  });
  const bytes = body.toString("latin1");
  return { status, headers: passed, body: bytes, etag: status === 200 ? headers.etag : undefined };
}

export function notModifiedHeaders({ headers }: Answer): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2);
    if (headersOfNotModified.has(name)) kept.push(name, value);
  }
  return kept;
}

/**
 * Whether the caller already has this response.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2 | RFC 9110 §13.1.2}
 */
export function isUnchanged({ etag }: Answer, ifNoneMatch: string): boolean {
  if (ifNoneMatch.trim() === "*") return etag !== undefined;
  if (etag === undefined) return false;
  const tags = ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => opaque(tag) === opaque(etag));
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
