import { asErrorDescription, type OAuthError } from "../../../protocol/oauth-error.js";
import type { ResponseTarget } from "./request.js";

/** The address that carries a code to the client, with `iss` (RFC 9207). */
export function codeResponse(target: ResponseTarget, issuer: string, code: string): string {
  return withParameters(target, issuer, { code });
}

/** The address that tells the client why there is no code. */
export function errorResponse(target: ResponseTarget, issuer: string, error: OAuthError): string {
  return withParameters(target, issuer, {
    error: error.code,
    error_description: asErrorDescription(error.message),
  });
}

function withParameters(target: ResponseTarget, issuer: string, parameters: Record<string, string>): string {
  const url = new URL(target.redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  if (target.state !== undefined) url.searchParams.append("state", target.state);
  url.searchParams.append("iss", issuer);
  return url.href;
}
