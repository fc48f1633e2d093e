import type { IncomingHttpHeaders } from "node:http";

/**
 * How long a response may be shared, in seconds from the request. Zero: not at all.
 *
 * Explicit lifetimes only: nothing is guessed from `Last-Modified`, and an unreadable value is zero.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9111#section-4.2 | RFC 9111 §4.2}
 */
export function freshnessSeconds(headers: IncomingHttpHeaders): number {
  if (headers.vary?.includes("*")) return 0;
  const directives = parseCacheControl(headers["cache-control"]);
  if (["no-store", "no-cache", "private"].some((name) => directives.has(name))) return 0;
  const lifetime = lifetimeSeconds(directives, headers);
  const age = headers.age === undefined ? 0 : deltaSeconds(headers.age);
  if (lifetime === undefined || age === undefined) return 0;
  return Math.max(0, lifetime - age);
}

/** The age of a response on arrival, in seconds. */
export function ageSeconds(headers: IncomingHttpHeaders): number {
  return headers.age === undefined ? 0 : (deltaSeconds(headers.age) ?? 0);
}

/** As a shared cache: `s-maxage`, then `max-age`, then `Expires`. */
function lifetimeSeconds(
  directives: ReadonlyMap<string, string>,
  headers: IncomingHttpHeaders,
): number | undefined {
  const maxAge = directives.get("s-maxage") ?? directives.get("max-age");
  if (maxAge !== undefined) return deltaSeconds(maxAge);
  // Both come from the upstream's clock, so this clock does not matter.
  const lifetime = Date.parse(headers.expires ?? "") - Date.parse(headers.date ?? "");
  return Number.isNaN(lifetime) ? undefined : Math.floor(lifetime / 1000);
}

/** Of a repeated directive the smaller value counts, and an unreadable one as zero. */
function parseCacheControl(header: string | undefined): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const directive of header?.split(",") ?? []) {
    const [name = "", value = ""] = directive.trim().split("=", 2);
    const key = name.trim().toLowerCase();
    const text = value.trim().replace(/^"(.*)"$/, "$1");
    const before = directives.get(key);
    directives.set(key, before === undefined ? text : smaller(before, text));
  }
  return directives;
}

function smaller(one: string, other: string): string {
  return String(Math.min(deltaSeconds(one) ?? 0, deltaSeconds(other) ?? 0));
}

function deltaSeconds(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
