import { hasType, importPublicJwk, type ParsedJws, sha256Base64url, verifyEs256 } from "@authz/dpop/jws";
import type { Client } from "../../store/clients.js";
import type { OnceRecord } from "../../store/redemptions.js";
import { OAuthError } from "../oauth-error.js";
import { lifetimes, paths } from "../vocabulary.js";
import { type ClientCredentials, invalidAssertion, unknownClient } from "./credentials.js";

/** A client that has shown who it is, as far as its type can. */
export interface AuthenticatedClient {
  readonly client: Client;
  /** The assertion it used, to be stored with what it asked for; `undefined` for a public client. */
  readonly assertionUse: OnceRecord | undefined;
}

/** Where and when a client shows itself. */
export interface AuthenticationPlace {
  readonly issuer: string;
  readonly now: Date;
  /** The path of an endpoint whose own address counts as audience as well (RFC 9126 §2). */
  readonly endpoint?: string;
}

/** How far ahead a client's clock may be. */
const clockToleranceSeconds = 5;
const assertionTypes = ["jwt", "client-authentication+jwt"];

/**
 * Decides whether a client is who it says: a public one by its mere name, any other one by an assertion signed with
 * one of its keys (RFC 7523 §3). Pure; the assertion is used up by whoever stores `assertionUse`.
 *
 * @throws {OAuthError} `invalid_client`.
 */
export function authenticateClient(
  client: Client | undefined,
  { assertion }: ClientCredentials,
  place: AuthenticationPlace,
): AuthenticatedClient {
  if (client === undefined || !client.enabled) throw unknownClient();
  if (client.type === "public") {
    if (assertion === undefined) return { client, assertionUse: undefined };
    const message = "This client is registered as public: it sends its client_id alone.";
    throw new OAuthError("invalid_client", "public_client_assertion", message);
  }
  if (assertion === undefined) {
    const message = "This client must authenticate with private_key_jwt.";
    throw new OAuthError("invalid_client", "missing_assertion", message);
  }
  const fault = assertionFault(assertion, client, place);
  if (fault !== undefined) throw invalidAssertion(fault);
  const { jti, exp } = assertion.payload as { jti: string; exp: number };
  return {
    client,
    assertionUse: { key: `client:${client.id}.${sha256Base64url(jti)}`, expiresAt: exp },
  };
}

/** The refusal of an assertion that came a second time. */
export function replayedAssertion(): OAuthError {
  return invalidAssertion("assertion_replayed");
}

function assertionFault(
  assertion: ParsedJws,
  client: Client,
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

function isAudience(value: unknown, { issuer, endpoint }: AuthenticationPlace): boolean {
  const accepted = [issuer, `${issuer}${paths.token}`];
  if (endpoint !== undefined) accepted.push(`${issuer}${endpoint}`);
  const [audience, ...others]: unknown[] = Array.isArray(value) ? value : [value];
  return others.length === 0 && accepted.some((candidate) => candidate === audience);
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
  if (typeof jti !== "string" || !/^\P{Cc}{1,256}$/u.test(jti)) return "assertion_jti";
  return undefined;
}

function isSigned({ header, signingInput, signature }: ParsedJws, { keys }: Client): boolean {
  const { kid } = header;
  const candidates = kid === undefined ? keys : keys.filter((key) => key.kid === kid);
  return candidates.some(({ publicJwk }) => verifyEs256(signingInput, signature, importPublicJwk(publicJwk)));
}
