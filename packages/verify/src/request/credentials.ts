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
// One that is never closed ends with the header, so that the search stays linear.
const quotedString = /"(?:[^"\\]|\\[\s\S])*\\?(?:"|$)/g;
const startsCredentials = /^[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]+[^ \t=]|[ \t]*$)/;

/**
 * Finds the access token of a request: in the one `Authorization` header and nowhere else.
 *
 * A scheme that is not ours counts as no credentials, because the application may have its own beside it.
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
 * What is known of the one `Authorization` line of a request, before anything is looked for in it.
 *
 * @throws {AuthzError} as `readCredentials`, for a second token beside a known one
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

/** Case does not count, but nearly everybody writes it like this. */
function readScheme(header: string): Credentials["scheme"] | undefined {
  if (header.startsWith("DPoP ")) return "DPoP";
  const scheme = knownScheme.exec(header)?.[0].toLowerCase();
  if (scheme === undefined) return undefined;
  return scheme === "dpop" ? "DPoP" : "Bearer";
}

/**
 * Checks the framing only: spaces and nothing else between scheme and token (RFC 9110 §11.4). That rules out `trim()`,
 * which also removes no-break spaces. The token itself is parsed later, and a known one not at all.
 */
function readToken(header: string, start: number): string {
  const token = withoutOuterSpaces(header, start);
  const framed = header[start] === " " && token !== "" && !token.includes(" ");
  if (!framed || token.length > accessTokenMaximumBytes) {
    throw new AuthzError("invalid_token", "authorization_malformed");
  }
  return token;
}

/** Fetch joins repeated header lines with a comma, Node can tell them apart. Both have to look the same here. */
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

/** A loop, because the expression for it takes quadratic time for spaces in the middle. */
function withoutOuterSpaces(value: string, from = 0): string {
  let start = from;
  let end = value.length;
  while (value.charCodeAt(start) === space) start += 1;
  while (end > start && value.charCodeAt(end - 1) === space) end -= 1;
  return value.slice(start, end);
}

/** A second token makes it unclear which one was meant. */
function checkNoOtherToken({ url, body, contentType }: AuthzRequest): void {
  const query = readQuery(url);
  if (query !== "" && new URLSearchParams(query).has("access_token")) {
    throw new AuthzError("invalid_request", "token_in_query");
  }
  if (body === undefined || (contentType !== undefined && !isForm(contentType))) return;
  if (hasParameter(body, "access_token")) throw new AuthzError("invalid_request", "token_in_body");
}

/** The one proof of a request. Where Fetch has joined repeated lines with a comma, the result is no proof. */
export function readProof(lines: readonly string[]): string {
  const proof = lines[0];
  if (proof === undefined || proof === "") throw new AuthzError("invalid_dpop_proof", "proof_missing");
  if (lines.length > 1) throw new AuthzError("invalid_dpop_proof", "proof_repeated");
  return proof;
}
