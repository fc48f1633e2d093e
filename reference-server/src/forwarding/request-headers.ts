import {
  type HeaderLine,
  headerValues,
  hopByHopHeaders,
  isWellFormed,
  namesOfConnection,
} from "./header-lines.js";

/**
 * Never sent on: the caller's credentials for this server, what is about one connection, what says where a request came
 * from, and what only a browser or the server itself may say.
 */
const dropped: ReadonlySet<string> = new Set([
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
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "true-client-ip",
  "via",
  "traceparent",
  "tracestate",
  "baggage",
  "origin",
  "referer",
  // These name another host or path to servers that listen to them, past the request prefixes.
  "x-original-url",
  "x-original-host",
  "x-host",
  "x-http-host-override",
  "x-rewrite-url",
]);

const droppedPrefixes = ["authz-", "proxy-", "sec-", "x-forwarded-", "access-control-"];

/** These name another method to servers that listen to them, past the methods that are allowed. */
const methodOverrides: readonly string[] = ["x-http-method-override", "x-http-method", "x-method-override"];

/** Servers that keep headers as variables (CGI, WSGI, Rack, PHP) read `X_Real_IP` and `X-Real-IP` as one name. */
function nameAsRead([name]: HeaderLine): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/** The header by which a caller asks for another method than its own; such a request is refused. */
export function methodOverrideOf(lines: readonly HeaderLine[]): string | undefined {
  return lines.map(nameAsRead).find((name) => methodOverrides.includes(name));
}

export interface OnwardHeaders {
  /** What proves to the other side who sends. */
  readonly credential: readonly HeaderLine[];
  /** Of the body, when the caller said it. */
  readonly contentLength: number | undefined;
}

/**
 * The header lines that the other side gets: the caller's own, without what is not its business, and the credential.
 *
 * Answers are wanted as they are, so that the token can be found in them.
 */
export function onwardHeaders(lines: readonly HeaderLine[], onward: OnwardHeaders): readonly HeaderLine[] {
  const ofConnection = namesOfConnection(lines);
  const kept = lines.filter((line) => {
    const name = nameAsRead(line);
    return (
      !dropped.has(name) &&
      !ofConnection.has(line[0].toLowerCase()) &&
      !droppedPrefixes.some((prefix) => name.startsWith(prefix)) &&
      isWellFormed(line)
    );
  });
  // Some refuse a request that does not name its program.
  const agent: readonly HeaderLine[] =
    headerValues(kept, "user-agent").length === 0 ? [["user-agent", "authz-server"]] : [];
  const length: readonly HeaderLine[] =
    onward.contentLength === undefined ? [] : [["content-length", String(onward.contentLength)]];
  return [...kept, ...agent, ...length, ["accept-encoding", "identity"], ...onward.credential];
}
