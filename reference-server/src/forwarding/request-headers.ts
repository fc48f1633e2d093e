import {
  type HeaderLine,
  headerValues,
  hopByHopHeaders,
  isWellFormed,
  namesOfConnection,
} from "./header-lines.js";

/**
 * What any API takes: what a request is about, which answer is wanted, and on which condition (RFC 9110 and its companions). Everything
 * else may say who is calling to a service that listens to it, so it goes on only where an administrator says so.
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

/**
 * Never sent on, even if an administrator declares them: the caller's credentials for this server, what is about one connection, what says where
 * a request came from, and what only a browser or the server itself may say.
 */
const never: ReadonlySet<string> = new Set([
  ...hopByHopHeaders,
  "authorization",
  "dpop",
  "cookie",
  "cookie2",
  "host",
  "content-length",
  "expect",
  "max-forwards",
  "accept-encoding",
  "forwarded",
  "via",
  "traceparent",
  "tracestate",
  "baggage",
  "origin",
  "referer",
]);

const neverPrefixes = ["authz-", "proxy-", "sec-", "x-forwarded-", "access-control-"];

/** These name another method to servers that listen to them, past the methods that are allowed. */
const methodOverrides: readonly string[] = ["x-http-method-override", "x-http-method", "x-method-override"];

/** Whether a header, by its lower-case name, is sent on nowhere. */
export function isNeverSent(name: string): boolean {
  return (
    never.has(name) ||
    methodOverrides.includes(name) ||
    neverPrefixes.some((prefix) => name.startsWith(prefix))
  );
}

/** Servers that keep headers as variables (CGI, WSGI, Rack, PHP) read `X_Real_IP` and `X-Real-IP` as one name. */
function nameAsRead([name]: HeaderLine): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/** The header by which a caller asks for another method than its own; such a request is refused. */
export function methodOverrideOf(lines: readonly HeaderLine[]): string | undefined {
  return lines.map(nameAsRead).find((name) => methodOverrides.includes(name));
}

export interface OnwardHeaders {
  /** Lower-case names that go on beside the usual ones. */
  readonly declared: readonly string[];
  /** What proves to the other side who sends. */
  readonly credential: readonly HeaderLine[];
  /** Of the body, when the caller said it. */
  readonly contentLength: number | undefined;
}

/** What of a request's own headers goes on, and the names of the others. */
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
 * The header lines that the other side gets: what goes on of the caller's own, and the credential.
 *
 * Answers are wanted as they are, so that the token can be found in them.
 */
export function onwardHeaders(lines: readonly HeaderLine[], onward: OnwardHeaders): readonly HeaderLine[] {
  const { kept } = sortHeaders(lines, onward.declared);
  // Some refuse a request that does not name its program.
  const agent: readonly HeaderLine[] =
    headerValues(kept, "user-agent").length === 0 ? [["user-agent", "authz-server"]] : [];
  const length: readonly HeaderLine[] =
    onward.contentLength === undefined ? [] : [["content-length", String(onward.contentLength)]];
  return [...kept, ...agent, ...length, ["accept-encoding", "identity"], ...onward.credential];
}
