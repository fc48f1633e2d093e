import { coverText } from "@authz/dpop/cover";
import { type HeaderLine, isWellFormed, namesOfConnection } from "./header-lines.js";
import { hopByHopHeaders } from "../protocol/request-headers.js";

/**
 * Headers about one connection, and those that a browser, proxy or cache would take for this server's own: about its origin, its
 * sign-in, or how to keep the answer.
 */
const dropped: ReadonlySet<string> = new Set([
  ...hopByHopHeaders,
  "set-cookie",
  "set-cookie2",
  "www-authenticate",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-connection",
  "authentication-info",
  "dpop-nonce",
  "proxy-status",
  "cache-control",
  "pragma",
  "x-content-type-options",
  "x-frame-options",
  "referrer-policy",
  "permissions-policy",
  "cross-origin-opener-policy",
  "cross-origin-opener-policy-report-only",
  "cross-origin-embedder-policy",
  "cross-origin-embedder-policy-report-only",
  "cross-origin-resource-policy",
  "origin-agent-cluster",
  "service-worker-allowed",
  "strict-transport-security",
  "public-key-pins",
  "expect-ct",
  "alt-svc",
  "clear-site-data",
  "refresh",
  "report-to",
  "reporting-endpoints",
  "nel",
  "accept-ch",
  "critical-ch",
  "x-sendfile",
  "x-lighttpd-send-file",
  "x-litespeed-location",
  "x-reproxy-url",
  "edge-control",
  "cdn-cache-control",
]);

const droppedPrefixes = ["access-control-", "content-security-policy", "authz-", "x-accel-", "surrogate-"];
/** Every cache may have its own header (RFC 9213). */
const droppedEnd = "-cdn-cache-control";

/** About the encoded bytes, which the caller does not get. */
const ofEncodedBody: ReadonlySet<string> = new Set([
  "content-length",
  "content-encoding",
  "content-md5",
  "digest",
  "content-digest",
  "repr-digest",
  "accept-ranges",
]);

export interface AnswerHeaderOptions {
  /** The body is decoded here. */
  readonly decoded: boolean;
  /** Replaced by stars. */
  readonly secrets: readonly string[];
}

/** The headers of an answer as the caller gets them, by lower-case name. Repeated ones stay repeated. */
export function answerHeaders(
  lines: readonly HeaderLine[],
  { decoded, secrets }: AnswerHeaderOptions,
): Readonly<Record<string, readonly string[]>> {
  const ofConnection = namesOfConnection(lines);
  const kept: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const line of lines) {
    const name = line[0].toLowerCase();
    if (dropped.has(name) || ofConnection.has(name) || !isWellFormed(line)) continue;
    if (droppedPrefixes.some((prefix) => name.startsWith(prefix)) || name.endsWith(droppedEnd)) continue;
    if (decoded && ofEncodedBody.has(name)) continue;
    if (secrets.some((secret) => secret.length <= name.length && name.includes(secret.toLowerCase())))
      continue;
    (kept[name] ??= []).push(coverText(line[1], secrets));
  }
  return kept;
}
