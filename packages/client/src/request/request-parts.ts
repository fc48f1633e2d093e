import { AuthzClientError } from "../errors.js";
import { isScope } from "../scope.js";

/** The method of a request, in capitals. @throws {AuthzClientError} `invalid_request` */
export function parseMethod(text = "GET"): string {
  const method = text.toUpperCase();
  if (/^[A-Z][A-Z-]{0,19}$/.test(method) && !["CONNECT", "TRACE", "TRACK"].includes(method)) return method;
  throw new AuthzClientError("invalid_request", {
    what: `"${text}" is not a method authz sends.`,
    hint: "Use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.",
  });
}

/** Permissions as they are asked for, each once. @throws {AuthzClientError} `invalid_request` */
export function parseScopes(scopes: readonly string[]): readonly string[] {
  const malformed = scopes.find((scope) => !isScope(scope));
  if (malformed === undefined) return [...new Set(scopes)];
  throw new AuthzClientError("invalid_request", {
    what: `"${malformed}" is not a scope.`,
    why: 'Scopes are "namespace:permission", in small letters, digits and hyphens.',
    hint: "Give one scope at a time: --scope contracts:read --scope contracts:write",
  });
}

/** Scopes of a third party, which are its own affair: what OAuth allows (RFC 6749 §3.3). @throws {AuthzClientError} `invalid_request` */
export function parseThirdPartyScopes(scopes: readonly string[]): readonly string[] {
  const malformed = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  if (malformed === undefined) return [...new Set(scopes)];
  throw new AuthzClientError("invalid_request", {
    what: `"${malformed}" is not a scope.`,
    hint: "Give one scope at a time: --scope repo --scope gist",
  });
}
