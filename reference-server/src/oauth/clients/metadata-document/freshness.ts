import type { Client } from "../../../store/clients.js";

/** Seconds that a document counts without being asked for again, at least and at most. */
export const shortestFreshSeconds = 300;
const longestFreshSeconds = 24 * 3600;
/** Half of what a key counts, so that there is time to ask again behind a request. */
const longestFreshSecondsOfKeys = 1800;

/**
 * How long an answer counts, as HTTP caching says (RFC 9111 §4.2), within bounds: nobody is asked more often than every five minutes,
 * and every document is looked at once a day.
 *
 * @param now - milliseconds, for `Expires` of a server that sends no `Date`
 */
export function freshSeconds(headers: Headers, now: number, hasKeys: boolean): number {
  const longest = hasKeys ? longestFreshSecondsOfKeys : longestFreshSeconds;
  const lifetime = lifetimeOf(headers, now) - ageOf(headers);
  return Math.min(Math.max(Math.floor(lifetime), shortestFreshSeconds), longest);
}

function lifetimeOf(headers: Headers, now: number): number {
  const directives = readDirectives(headers.get("cache-control") ?? "");
  if (directives.has("no-store") || directives.has("no-cache")) return 0;
  for (const name of ["s-maxage", "max-age"]) {
    const value = directives.get(name);
    // One that cannot be read counts as over (RFC 9111 §4.2.1).
    if (value !== undefined) return /^\d{1,10}$/.test(value) ? Number(value) : 0;
  }
  const expires = Date.parse(headers.get("expires") ?? "");
  if (Number.isNaN(expires)) return 0;
  const sent = Date.parse(headers.get("date") ?? "");
  return (expires - (Number.isNaN(sent) ? now : sent)) / 1000;
}

function ageOf(headers: Headers): number {
  const age = headers.get("age") ?? "";
  return /^\d{1,10}$/.test(age) ? Number(age) : 0;
}

/** The first of each name, as most caches take it. */
function readDirectives(header: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const item of header.split(",")) {
    const [name = "", value = ""] = item.split("=");
    const key = name.trim().toLowerCase();
    if (key !== "" && !directives.has(key)) directives.set(key, value.trim().replaceAll('"', ""));
  }
  return directives;
}

/**
 * How long a client counts after its document was fetched, while its address is away: a bad day of its publisher ends no sessions, and a key
 * that was taken back counts for an hour at most.
 */
export function longestUseSeconds({ type }: Pick<Client, "type">): number {
  return type === "confidential" ? 3600 : 2 * 24 * 3600;
}
