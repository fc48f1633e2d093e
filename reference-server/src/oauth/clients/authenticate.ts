import {
  hasType,
  importPublicJwk,
  JwsError,
  parseCompactJws,
  type ParsedJws,
  sha256Base64url,
  verifyEs256,
} from "@authz/dpop/jws";
import { isIdentifier } from "@authz/dpop/jwt";
import { OAuthError } from "../../protocol/oauth-error.js";
import { type Parameters, refuseRepeated } from "../../protocol/parameters.js";
import { clientAssertionType, type GrantTypeName, lifetimes, paths } from "../../protocol/vocabulary.js";
import { type Client, mayAct } from "../../store/clients.js";
import type { OnceRecord } from "../../store/redemptions.js";

/** A form that a client posts to one of its endpoints, free of any framework. */
export interface FormRequest {
  readonly parameters: Parameters;
  /** Every `DPoP` header. */
  readonly dpop: readonly string[];
  /** Every `Authorization` header. */
  readonly authorization: readonly string[];
  readonly requestId: string;
  /** The address it came from, as far as the server can know. */
  readonly clientAddress: () => string;
}

/** An authenticated client; a public one only named itself. */
export interface AuthenticatedClient {
  readonly client: Client;
  /** Its assertion, to be stored with what it authorizes; `undefined` for a public client. */
  readonly assertionUse: OnceRecord | undefined;
}

/** The endpoint and time of a client authentication. */
interface AuthenticationPlace {
  readonly issuer: string;
  readonly now: Date;
  /** Path of an endpoint whose own address is a valid audience too (RFC 9126 §2). */
  readonly endpoint?: string;
}

/** Tolerance for a client's clock that is ahead. */
const clockToleranceSeconds = 5;
/** From RFC 7515 A.3. Verifying with it takes the time of a real key where the client has none; the result is ignored. */
const placeholderKey = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
};
const assertionTypes = ["jwt", "client-authentication+jwt"];

/**
 * Authenticates a client: a public one by its `client_id` alone, any other by an assertion signed with one of its keys (RFC 7523 §3).
 * Pure; storing `assertionUse` uses the assertion up.
 *
 * An assertion is checked in full for unknown clients too, so that neither the answer nor its time reveals who is registered.
 *
 * @throws {OAuthError} `invalid_client`.
 */
export function authenticateClient(
  found: Client | undefined,
  { clientId, assertion }: ClientCredentials,
  place: AuthenticationPlace,
): AuthenticatedClient {
  const client = found !== undefined && mayAct(found) ? found : undefined;
  if (assertion === undefined) {
    if (client?.type === "public") return { client, assertionUse: undefined };
    throw invalidClient(client === undefined ? "unknown_client" : "missing_assertion");
  }
  const fault = assertionFault(assertion, client ?? { id: clientId, keys: [] }, place);
  if (client === undefined) throw invalidClient("unknown_client");
  if (client.type === "public") throw invalidClient("public_client_assertion");
  if (fault !== undefined) throw invalidClient(fault);
  const { jti, exp } = assertion.payload as { jti: string; exp: number };
  return {
    client,
    assertionUse: { key: `client:${client.id}.${sha256Base64url(jti)}`, expiresAt: exp },
  };
}

/**
 * Requires that a client may use a grant type, both where the grant begins and where it is redeemed.
 *
 * @throws {OAuthError} `unauthorized_client`.
 */
export function requireGrantType({ grantTypes }: Pick<Client, "grantTypes">, wanted: GrantTypeName): void {
  if (grantTypes.includes(wanted)) return;
  const message = `This client may not use ${wanted}. Its grant_types are: ${grantTypes.join(" ")}.`;
  throw new OAuthError("unauthorized_client", "client_grant_type", message);
}

/** The refusal of an assertion that was used before. */
export function replayedAssertion(): OAuthError {
  return invalidClient("assertion_replayed");
}

function assertionFault(
  assertion: ParsedJws,
  client: Pick<Client, "id" | "keys">,
  place: AuthenticationPlace,
): string | undefined {
  const { header, payload } = assertion;
  if (header["typ"] !== undefined && !assertionTypes.some((type) => hasType(header, type)))
    return "assertion_type";
  if (payload["iss"] !== client.id) return "assertion_issuer";
  if (payload["sub"] !== client.id) return "assertion_subject";
  if (!isAudience(payload["aud"], place)) return "assertion_audience";
  return (
    lifetimeFault(payload, place.now) ?? (isSigned(assertion, client) ? undefined : "assertion_signature")
  );
}

/** One string: with a list, an assertion for one server would be good at another. */
function isAudience(value: unknown, { issuer, endpoint }: AuthenticationPlace): boolean {
  const accepted: unknown[] = [issuer, `${issuer}${paths.token}`];
  if (endpoint !== undefined) accepted.push(`${issuer}${endpoint}`);
  return accepted.includes(value);
}

function lifetimeFault(payload: ParsedJws["payload"], date: Date): string | undefined {
  const now = Math.floor(date.getTime() / 1000);
  const { exp, iat, nbf, jti } = payload;
  if (!Number.isSafeInteger(exp) || Number(exp) <= now) return "assertion_expired";
  if (Number(exp) > now + lifetimes.clientAssertion + clockToleranceSeconds) return "assertion_too_long";
  for (const begin of [iat, nbf]) {
    if (begin === undefined) continue;
    if (!Number.isSafeInteger(begin) || Number(begin) > now + clockToleranceSeconds)
      return "assertion_not_yet";
  }
  if (!isIdentifier(jti)) return "assertion_jti";
  return undefined;
}

function isSigned({ header, signingInput, signature }: ParsedJws, { keys }: Pick<Client, "keys">): boolean {
  const { kid } = header;
  const candidates = kid === undefined ? keys : keys.filter((key) => key.kid === kid);
  const verify = (key: object) => verifyEs256(signingInput, signature, importPublicJwk(key));
  if (candidates.length > 0) return candidates.some(({ publicJwk }) => verify(publicJwk));
  verify(placeholderKey);
  return false;
}

/** The claimed client and its assertion. Nothing is verified yet. */
interface ClientCredentials {
  readonly clientId: string;
  readonly assertion: ParsedJws | undefined;
}

const maxAssertionBytes = 8192;

/**
 * Reads `client_id` and `client_assertion` of a form.
 *
 * @throws {OAuthError} `invalid_request` or `invalid_client`.
 */
export function readClientCredentials(request: {
  readonly parameters: Parameters;
  /** Every `Authorization` header. */
  readonly authorization: readonly string[];
}): ClientCredentials {
  const { parameters, authorization } = request;
  refuseRepeated(parameters, ["client_id", "client_secret", "client_assertion", "client_assertion_type"]);
  refuseOtherMethods(parameters, authorization);
  const assertion = readAssertion(parameters);
  const clientId = parameters.get("client_id") ?? assertion?.payload["sub"];
  // No client has another form of id, and NUL would be a database error.
  if (typeof clientId !== "string" || !/^[\x20-\x7e]{1,2048}$/.test(clientId))
    throw invalidClient("unknown_client");
  return { clientId, assertion };
}

/** Clients authenticate once per request (RFC 6749 §2.3), and here only in the form. */
function refuseOtherMethods(parameters: Parameters, authorization: readonly string[]): void {
  const inForm = ["client_secret", "client_assertion"].filter((name) => parameters.get(name) !== undefined);
  if (authorization.length + inForm.length > 1) {
    const message = "The request has more than one client authentication. Send one.";
    throw new OAuthError("invalid_request", "several_authentications", message);
  }
  const [header] = authorization;
  if (header === undefined && !inForm.includes("client_secret")) return;
  const message = "Clients authenticate here with private_key_jwt, or send their client_id alone.";
  const [scheme] = /^[\w!#$%&'*+.^`|~-]{1,32}(?= |$)/.exec(header ?? "") ?? [];
  throw new OAuthError("invalid_client", "client_authentication", message, { scheme });
}

function readAssertion(parameters: Parameters): ParsedJws | undefined {
  const text = parameters.get("client_assertion");
  const type = parameters.get("client_assertion_type");
  if (text === undefined && type === undefined) return undefined;
  if (text === undefined || type !== clientAssertionType) {
    throw new OAuthError(
      "invalid_client",
      "client_assertion_type",
      `A client_assertion needs the client_assertion_type ${clientAssertionType}.`,
    );
  }
  try {
    return parseCompactJws(text, { maxBytes: maxAssertionBytes });
  } catch (error) {
    if (error instanceof JwsError) throw invalidClient(`assertion_${error.reason}`, error);
    throw error;
  }
}

/**
 * The refusal of a client that is unknown or disabled, or fails to authenticate. The reason goes to the log only, so that the answer does
 * not reveal who is registered.
 */
function invalidClient(reason: string, cause?: unknown): OAuthError {
  const message =
    "The client is not registered here, or did not prove who it is. A public client sends its client_id alone; any " +
    "other one a client_assertion: check its key, iss, sub, aud, exp and jti, and the clock.";
  return new OAuthError("invalid_client", reason, message, { cause });
}
