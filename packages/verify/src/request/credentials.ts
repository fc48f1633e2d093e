import { accessTokenMaximumBytes } from "../access-token/issue.js";
import { AuthzError } from "../errors.js";
import { hasParameter, isForm } from "../forms.js";
import type { AuthzRequest } from "../messages.js";
import { readQuery } from "./target.js";

/** The one credential of a request. */
export interface Credentials {
  readonly scheme: "DPoP" | "Bearer";
  readonly token: string;
}

const knownScheme = /^(dpop|bearer)(?![!#$%&'*+.^_`|~0-9A-Za-z-])/i;
// An unclosed one ends with the header, so that the search stays linear.
const quotedString = /"(?:[^"\\]|\\[\s\S])*\\?(?:"|$)/g;
const startsCredentials = /^[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]+[^ \t=]|[ \t]*$)/;

/**
 * Finds the access token of a request: in the one `Authorization` header and nowhere else.
 *
 * Any other scheme counts as no credentials, because the application may use it beside ours.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-2 | RFC 6750 §2}
 */
export function readCredentials(request: AuthzRequest): Credentials {
  const header = readAuthorization(request.authorization);
  const scheme = readScheme(header);
  if (scheme === undefined) throw new AuthzError("unauthorized", "credentials_missing");
  checkNoOtherToken(request);
  return { scheme, token: readToken(header, scheme.length) };
}

/**
 * Looks up the only `Authorization` line of a request in the cache, before it is parsed.
 *
 * @throws {AuthzError} as `readCredentials`, for a second token beside a cached one
 */
export function recallCredentials<T>(
  request: AuthzRequest,
  recall: (line: string) => T | undefined,
): T | undefined {
  const line = request.authorization[0];
  if (line === undefined || request.authorization.length !== 1) return undefined;
  const known = recall(line);
  if (known !== undefined) checkNoOtherToken(request);
  return known;
}

/** Case is ignored; the common spelling needs no regular expression. */
function readScheme(header: string): Credentials["scheme"] | undefined {
  if (header.startsWith("DPoP ")) return "DPoP";
  const scheme = knownScheme.exec(header)?.[0].toLowerCase();
  if (scheme === undefined) return undefined;
  return scheme === "dpop" ? "DPoP" : "Bearer";
}

/**
 * Checks the framing only: spaces between scheme and token (RFC 9110 §11.4). `trim()` would also remove no-break spaces. The
 * token itself is parsed later, and a cached one not at all.
 */
function readToken(header: string, start: number): string {
  const token = withoutOuterSpaces(header, start);
  const framed = header[start] === " " && token !== "" && !token.includes(" ");
  if (!framed || token.length > accessTokenMaximumBytes) {
    throw new AuthzError("invalid_token", "authorization_malformed");
  }
  return token;
}

/** Treats repeated lines alike whether Fetch has joined them with a comma or Node has kept them apart. */
function readAuthorization(lines: readonly string[]): string {
  const joined = lines.length === 1 ? (lines[0] as string) : lines.join(", ");
  if (lines.length > 1 || (joined.includes(",") && isRepeated(joined))) {
    throw new AuthzError("invalid_request", "authorization_repeated");
  }
  return withoutOuterSpaces(joined);
}

/** Whether a comma separates two credentials, and not two parameters of one. */
function isRepeated(header: string): boolean {
  const [first = "", ...others] = header.replace(quotedString, '""').split(",");
  return knownScheme.test(withoutOuterSpaces(first)) || others.some((part) => startsCredentials.test(part));
}

const space = 0x20;

/** A loop, because a regular expression takes quadratic time for spaces in the middle. */
function withoutOuterSpaces(value: string, from = 0): string {
  let start = from;
  let end = value.length;
  while (value.charCodeAt(start) === space) start += 1;
  while (end > start && value.charCodeAt(end - 1) === space) end -= 1;
  return value.slice(start, end);
}

/** Refuses a second token, because either could be meant. */
function checkNoOtherToken({ url, body, contentType }: AuthzRequest): void {
  const query = readQuery(url);
  if (query !== "" && new URLSearchParams(query).has("access_token")) {
    throw new AuthzError("invalid_request", "token_in_query");
  }
  if (body === undefined || (contentType !== undefined && !isForm(contentType))) return;
  if (hasParameter(body, "access_token")) throw new AuthzError("invalid_request", "token_in_body");
}

/** The only proof of a request. Repeated lines that Fetch has joined with a comma are no valid proof. */
export function readProof(lines: readonly string[]): string {
  const proof = lines[0];
  if (proof === undefined || proof === "") throw new AuthzError("invalid_dpop_proof", "proof_missing");
  if (lines.length > 1) throw new AuthzError("invalid_dpop_proof", "proof_repeated");
  return proof;
}
