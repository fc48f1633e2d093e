import { AuthzClientError } from "../errors.js";

/** The method of a request, in capitals. @throws {AuthzClientError} `invalid_request` */
export function parseMethod(text = "GET"): string {
  const method = text.toUpperCase();
  if (/^[A-Z][A-Z-]{0,19}$/.test(method) && !["CONNECT", "TRACE", "TRACK"].includes(method)) return method;
  throw new AuthzClientError("invalid_request", {
    what: `"${text}" is not a method authz sends.`,
    hint: "Use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.",
  });
}

/** Scopes as they are asked for, each once. @throws {AuthzClientError} `invalid_request` */
export function parseScopes(scopes: readonly string[]): readonly string[] {
  const malformed = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  if (malformed === undefined) return [...new Set(scopes)];
  throw new AuthzClientError("invalid_request", {
    what: `"${malformed}" is not a scope.`,
    hint: "Give one scope at a time: --scope contracts:read --scope contracts:write",
  });
}
