import { isNumericDate } from "@authz/dpop/jws";
import { parseScope } from "../scopes.js";
import { type Jwt, refuse } from "./jwt.js";

/** How far the clock of whoever signed may be ahead of ours. */
const clockToleranceSeconds = 30;

const thumbprint = /^[A-Za-z0-9_-]{43}$/;
const controlCharacters = /\p{Cc}/u;

export function checkIssuer(jwt: Jwt, issuer: string): void {
  if (jwt.claims["iss"] !== issuer) refuse(jwt, "jwt_issuer");
}

/** The audience is exactly one: as a text or as an array of one. */
export function checkAudience(jwt: Jwt, audience: string): void {
  if (!isExactly(jwt.claims["aud"], audience)) refuse(jwt, "jwt_audience");
}

export function checkClient(jwt: Jwt, clientId: string): void {
  if (jwt.claims["client_id"] !== clientId) refuse(jwt, "jwt_client");
}

export function checkResource(jwt: Jwt, resource: string): void {
  if (!isExactly(jwt.claims["resource"], resource)) refuse(jwt, "jwt_resource");
}

/** The times of a JWT, in seconds since 1970. */
export interface Lifetime {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Checks `iat`, `exp` and, when there is one, `nbf`. The end counts to the second, without tolerance. */
export function checkLifetime(jwt: Jwt, nowSeconds: number, maximumSeconds: number): Lifetime {
  const { iat, exp, nbf } = jwt.claims;
  if (!isNumericDate(iat) || !isNumericDate(exp)) refuse(jwt, "jwt_dates");
  if (nbf !== undefined && !isNumericDate(nbf)) refuse(jwt, "jwt_dates");
  if (exp <= nowSeconds) refuse(jwt, "jwt_expired");
  if (Math.max(iat, nbf ?? iat) > nowSeconds + clockToleranceSeconds) refuse(jwt, "jwt_not_yet_valid");
  if (exp <= iat || exp - iat > maximumSeconds) refuse(jwt, "jwt_lifetime");
  return { issuedAt: iat, expiresAt: exp };
}

export function readSubject(jwt: Jwt): string {
  const { sub } = jwt.claims;
  return isIdentifier(sub) ? sub : refuse(jwt, "jwt_subject");
}

export function readClientId(jwt: Jwt): string {
  const { client_id: clientId } = jwt.claims;
  return isIdentifier(clientId) ? clientId : refuse(jwt, "jwt_client");
}

export function readTokenId(jwt: Jwt): string {
  const { jti } = jwt.claims;
  return isIdentifier(jti) ? jti : refuse(jwt, "jwt_id");
}

/** What a JWT may say about a person. */
export interface Profile {
  readonly email?: string;
  readonly name?: string;
}

export function readProfile(jwt: Jwt): Profile {
  const { email, name } = jwt.claims;
  if (email !== undefined && !isIdentifier(email)) refuse(jwt, "jwt_profile");
  if (name !== undefined && !isIdentifier(name)) refuse(jwt, "jwt_profile");
  return { ...(email !== undefined && { email }), ...(name !== undefined && { name }) };
}

/** The scopes of a JWT. A missing claim is refused: a token says what it is good for. */
export function readScopes(jwt: Jwt): readonly string[] {
  return parseScope(jwt.claims["scope"]) ?? refuse(jwt, "jwt_scope");
}

/**
 * The thumbprint of the key that a JWT is bound to, or undefined when it is bound to none.
 *
 * A confirmation by any other means is refused, because ignoring one would loosen what the signer tied.
 */
export function readKeyThumbprint(jwt: Jwt): string | undefined {
  const { cnf } = jwt.claims;
  if (cnf === undefined) return undefined;
  if (typeof cnf !== "object" || cnf === null || Array.isArray(cnf)) refuse(jwt, "jwt_confirmation");
  const { jkt, ...others } = cnf as Record<string, unknown>;
  if (typeof jkt !== "string" || !thumbprint.test(jkt)) refuse(jwt, "jwt_confirmation");
  if (Object.keys(others).length > 0) refuse(jwt, "jwt_confirmation");
  return jkt;
}

function isExactly(value: unknown, expected: string): boolean {
  return value === expected || (Array.isArray(value) && value.length === 1 && value[0] === expected);
}

function isIdentifier(value: unknown): value is string {
  return (
    typeof value === "string" && value.length > 0 && value.length <= 256 && !controlCharacters.test(value)
  );
}
