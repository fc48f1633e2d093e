import { isScopeToken } from "@authz/dpop/jwt";

/** The distinct scopes of a `scope` parameter in order, or `undefined` when it is malformed (RFC 6749 §3.3). */
export function parseScope(parameter: string): readonly string[] | undefined {
  const scopes = parameter.split(" ");
  return scopes.every(isScopeToken) ? [...new Set(scopes)] : undefined;
}
