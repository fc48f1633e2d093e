import type { Resource } from "../api/me-api.js";
import { AuthzClientError } from "../errors.js";
import { isSecureOrLoopback } from "../transport/json-fields.js";

/** What decides where credentials may go. */
export type PrefixedResource = Pick<Resource, "key" | "requestPrefixes">;

/** The registered service that a request goes to, and the prefix that says so. */
export interface ResourceMatch<R extends PrefixedResource> {
  resource: R;
  prefix: string;
}

/**
 * Finds the service whose registered prefix covers an address: the same origin, and whole path segments. The longest prefix
 * wins. Undefined when none covers it, and then no credential may go there.
 *
 * @throws {AuthzClientError} `refused` when two services claim the same prefix.
 */
export function findRegisteredResource<R extends PrefixedResource>(
  url: URL,
  resources: readonly R[],
): ResourceMatch<R> | undefined {
  const matches = resources
    .flatMap((resource) => resource.requestPrefixes.map((prefix) => ({ resource, prefix })))
    .filter(({ prefix }) => covers(prefix, url))
    .sort((a, b) => pathOf(b.prefix).length - pathOf(a.prefix).length);
  const [best] = matches;
  const rival = matches.find(
    (match) => match.resource !== best?.resource && pathOf(match.prefix) === pathOf(best?.prefix ?? ""),
  );
  if (best !== undefined && rival !== undefined) throw ambiguous(best, rival);
  return best;
}

/** Whether a prefix covers an address: the same origin, and whole path segments. */
function covers(prefix: string, url: URL): boolean {
  if (!URL.canParse(prefix)) return false;
  const allowed = new URL(prefix);
  if (!isSecureOrLoopback(allowed) || allowed.origin !== url.origin) return false;
  if (allowed.search !== "" || allowed.hash !== "" || allowed.username !== "") return false;
  const path = pathOf(prefix);
  return url.pathname === path || url.pathname.startsWith(`${path}/`);
}

/** The longest of the prefixes that cover an address. */
export function coveringPrefix(url: URL, prefixes: readonly string[]): string | undefined {
  return prefixes
    .filter((prefix) => covers(prefix, url))
    .sort((a, b) => pathOf(b).length - pathOf(a).length)[0];
}

/** The path of a prefix without the slash at its end, so that it ends where a segment ends. */
function pathOf(prefix: string): string {
  return URL.canParse(prefix) ? new URL(prefix).pathname.replace(/\/+$/, "") : "";
}

function ambiguous(
  one: ResourceMatch<PrefixedResource>,
  other: ResourceMatch<PrefixedResource>,
): AuthzClientError {
  return new AuthzClientError("prefix_ambiguous", {
    what: "It is not clear which service this address belongs to.",
    why: `${one.resource.key} and ${other.resource.key} both registered ${one.prefix}.`,
  });
}
