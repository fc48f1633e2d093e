import { isJsonObject, type JsonObject } from "../jws/strict-json.js";
import { type JwtAge, JwtError, type JwtErrorReason } from "./jwt.js";
import { parseScope } from "./scope.js";

/** Maximum lead of the signer's clock. */
const clockToleranceSeconds = 30;

const thumbprint = /^[A-Za-z0-9_-]{43}$/;
const controlCharacters = /\p{Cc}/u;
const identifierLength = 256;
/** A client identifier may be the URL of its metadata document. */
const clientIdLength = 2048;

/** Whether a claim is a usable NumericDate: whole seconds since 1970, finite and not negative. */
export function isNumericDate(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether a claim is a usable identifier: 1 to 256 characters, none of them a control character. */
export function isIdentifier(value: unknown): value is string {
  return isNameUpTo(identifierLength, value);
}

function isNameUpTo(maximum: number, value: unknown): value is string {
  return (
    typeof value === "string" && value.length > 0 && value.length <= maximum && !controlCharacters.test(value)
  );
}

/** @throws {JwtError} `issuer` */
export function checkIssuer({ iss }: JsonObject, issuer: string): void {
  if (iss !== issuer) throw new JwtError("issuer");
}

/**
 * Checks that there is exactly one audience: a string, or an array of one.
 *
 * @throws {JwtError} `audience`
 */
export function checkAudience({ aud }: JsonObject, audience: string): void {
  if (!isExactly(aud, audience)) throw new JwtError("audience");
}

/** @throws {JwtError} `client` */
export function checkClient({ client_id: found }: JsonObject, clientId: string): void {
  if (found !== clientId) throw new JwtError("client");
}

/** @throws {JwtError} `resource` */
export function checkResource({ resource: found }: JsonObject, resource: string): void {
  if (!isExactly(found, resource)) throw new JwtError("resource");
}

/** The times of a JWT, in seconds since 1970. */
export interface Lifetime {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** The limits of a lifetime, in seconds. */
export interface LifetimeLimits {
  /** Since 1970. */
  readonly now: number;
  readonly maximum: number;
}

/**
 * Checks `iat`, `exp` and, if present, `nbf`. `exp` is exact to the second, without tolerance; the
 * signer's clock may be 30 seconds ahead.
 *
 * @throws {JwtError} `dates`, `expired`, `not_yet_valid` or `lifetime`
 */
export function checkLifetime(
  { iss, iat, exp, nbf }: JsonObject,
  { now, maximum }: LifetimeLimits,
): Lifetime {
  if (!isNumericDate(iat) || !isNumericDate(exp)) throw new JwtError("dates");
  if (nbf !== undefined && !isNumericDate(nbf)) throw new JwtError("dates");
  const validFrom = Math.max(iat, nbf ?? iat);
  const age: JwtAge = { seconds: now - validFrom, issuer: typeof iss === "string" ? iss : "" };
  if (exp <= now) throw new JwtError("expired", { age });
  if (-age.seconds > clockToleranceSeconds) throw new JwtError("not_yet_valid", { age });
  if (exp <= iat || exp - iat > maximum) throw new JwtError("lifetime");
  return { issuedAt: iat, expiresAt: exp };
}

/** @throws {JwtError} `subject` */
export function readSubject({ sub }: JsonObject): string {
  return requireIdentifier(sub, "subject");
}

/**
 * The client that a JWT was issued to: an identifier, or a URL of up to 2048 characters.
 *
 * @throws {JwtError} `client`
 */
export function readClientId({ client_id: clientId }: JsonObject): string {
  return requireClientId(clientId, "client");
}

/** @throws {JwtError} `id` */
export function readTokenId({ jti }: JsonObject): string {
  return requireIdentifier(jti, "id");
}

/**
 * The app's session at the authorization server that a JWT comes from, or undefined when it names none.
 *
 * @throws {JwtError} `session`
 */
export function readSessionId({ sid }: JsonObject): string | undefined {
  return sid === undefined ? undefined : requireIdentifier(sid, "session");
}

/** The claims of a JWT about a person. */
export interface Profile {
  readonly email?: string;
  readonly name?: string;
}

/** @throws {JwtError} `profile` */
export function readProfile({ email, name }: JsonObject): Profile {
  return {
    ...(email !== undefined && { email: requireIdentifier(email, "profile") }),
    ...(name !== undefined && { name: requireIdentifier(name, "profile") }),
  };
}

/** The party that acts for the subject: the app that a person uses. */
export interface Actor {
  readonly subject: string;
}

/**
 * The current actor of a JWT, or undefined when it names none.
 *
 * Only the actor itself counts: earlier actors, in a nested `act`, are informational, and claims about validity have no
 * meaning in it (both RFC 8693 §4.1). An actor of another issuer is refused, because its `sub` could equal that of another
 * app.
 *
 * @param issuer - the issuer that assigned `sub`
 * @throws {JwtError} `actor`
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693#section-4.1 | RFC 8693 §4.1}
 */
export function readActor({ act }: JsonObject, issuer: string): Actor | undefined {
  if (act === undefined) return undefined;
  if (!isJsonObject(act) || (act["iss"] !== undefined && act["iss"] !== issuer)) throw new JwtError("actor");
  return { subject: requireClientId(act["sub"], "actor") };
}

/**
 * The scopes of a JWT. A missing claim is refused.
 *
 * @throws {JwtError} `scope`
 */
export function readScopes({ scope }: JsonObject): readonly string[] {
  const scopes = parseScope(scope);
  if (scopes === undefined) throw new JwtError("scope");
  return scopes;
}

/**
 * The thumbprint of the key that a JWT is bound to, or undefined when it is not bound.
 *
 * Any other confirmation method is refused, because ignoring it would weaken the binding.
 *
 * @throws {JwtError} `confirmation`
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-6.1 | RFC 9449 §6.1}
 */
export function readKeyThumbprint({ cnf }: JsonObject): string | undefined {
  if (cnf === undefined) return undefined;
  const { jkt, ...others } = isJsonObject(cnf) ? cnf : {};
  if (typeof jkt !== "string" || !thumbprint.test(jkt)) throw new JwtError("confirmation");
  if (Object.keys(others).length > 0) throw new JwtError("confirmation");
  return jkt;
}

/**
 * The entry of a JWT in the token status list at this address, or undefined when it names none.
 *
 * Any other list is refused: it is not read, so nothing is known about the JWT.
 *
 * @throws {JwtError} `status`
 * @see {@link https://www.ietf.org/archive/id/draft-ietf-oauth-status-list-21.html#section-6.2 | draft-ietf-oauth-status-list §6.2}
 */
export function readStatusIndex({ status }: JsonObject, listUri: string): number | undefined {
  if (status === undefined) return undefined;
  const reference = isJsonObject(status) ? status["status_list"] : undefined;
  const { idx, uri } = isJsonObject(reference) ? reference : {};
  if (uri !== listUri || !Number.isSafeInteger(idx) || (idx as number) < 0) throw new JwtError("status");
  return idx as number;
}

function isExactly(value: unknown, expected: string): boolean {
  return value === expected || (Array.isArray(value) && value.length === 1 && value[0] === expected);
}

function requireIdentifier(value: unknown, reason: JwtErrorReason): string {
  if (!isIdentifier(value)) throw new JwtError(reason);
  return value;
}

function requireClientId(value: unknown, reason: JwtErrorReason): string {
  if (!isNameUpTo(clientIdLength, value)) throw new JwtError(reason);
  return value;
}
