import { isNeverSent, methodOverrides } from "../protocol/request-headers.js";
import { type HeaderLine, headerValues, isWellFormed, namesOfConnection } from "./header-lines.js";

/**
 * Headers that any API understands: about content, negotiation and conditions (RFC 9110 and its companions). A service may take any
 * other header for the identity of the caller, so it is passed on only where an administrator declares it.
 */
export const usualHeaders: readonly string[] = [
  "accept",
  "accept-charset",
  "accept-language",
  "cache-control",
  "content-digest",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-md5",
  "content-range",
  "content-type",
  "digest",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "pragma",
  "prefer",
  "range",
  "repr-digest",
  "user-agent",
];

/** Servers with headers in variables (CGI, WSGI, Rack, PHP) read `X_Real_IP` and `X-Real-IP` as one name. */
function nameAsRead([name]: HeaderLine): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/** The header that overrides the method; such a request is refused. */
export function methodOverrideOf(lines: readonly HeaderLine[]): string | undefined {
  return lines.map(nameAsRead).find((name) => methodOverrides.includes(name));
}

export interface OnwardHeaders {
  /** Lower-case names that are passed on beside the usual ones. */
  readonly declared: readonly string[];
  /** What authenticates the request to the other side. */
  readonly credential: readonly HeaderLine[];
  /** Of the body, if the caller states it. */
  readonly contentLength: number | undefined;
}

/** Sorts the headers of a request into those that are passed on, and the names of the others. */
export function sortHeaders(
  lines: readonly HeaderLine[],
  declared: readonly string[],
): { readonly kept: readonly HeaderLine[]; readonly leftOut: readonly string[] } {
  const ofConnection = namesOfConnection(lines);
  const kept: HeaderLine[] = [];
  const leftOut = new Set<string>();
  for (const line of lines) {
    const name = line[0].toLowerCase();
    const isAllowed = usualHeaders.includes(name) || (declared.includes(name) && !isNeverSent(name));
    if (isAllowed && !ofConnection.has(name) && isWellFormed(line)) kept.push(line);
    else leftOut.add(name);
  }
  return { kept, leftOut: [...leftOut] };
}

/**
 * The header lines that the other side gets: the caller's own that are passed on, and the credential.
 *
 * Answers must not be encoded, so that the token can be found in them.
 */
export function onwardHeaders(lines: readonly HeaderLine[], onward: OnwardHeaders): readonly HeaderLine[] {
  const { kept } = sortHeaders(lines, onward.declared);
  // Some APIs refuse a request without User-Agent.
  const agent: readonly HeaderLine[] =
    headerValues(kept, "user-agent").length === 0 ? [["user-agent", "authz-server"]] : [];
  const length: readonly HeaderLine[] =
    onward.contentLength === undefined ? [] : [["content-length", String(onward.contentLength)]];
  return [...kept, ...agent, ...length, ["accept-encoding", "identity"], ...onward.credential];
}
