import * as oidc from "openid-client";
import { OutboundError, wasSent } from "../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import { joinClaims, type ProviderClaims } from "./identity.js";

/** Whom a provider is asked about, with a refresh token of theirs. */
export interface ConfirmationRequest {
  readonly refreshToken: string;
  /** The account that it was issued for. */
  readonly subject: string;
  readonly wantsGroups: boolean;
}

/** Why a provider's answer says nothing about the person: its fault, ours, or the network's. */
type ConfirmationFailure = "provider_unreachable" | "invalid_response" | "client_refused" | "scope_refused";

/** What a provider answered about a person. */
export type Confirmation =
  | {
      readonly kind: "confirmed";
      /** `undefined`: the answer has neither an ID token nor a userinfo endpoint. */
      readonly claims: ProviderClaims | undefined;
      /** In place of the one that was sent; `undefined`: that one stays. */
      readonly refreshToken: string | undefined;
    }
  /** The provider wants the person to sign in again, which may mean many things. */
  | { readonly kind: "refused"; readonly error: string }
  | {
      readonly kind: "failed";
      readonly reason: ConfirmationFailure;
      /** The refresh token may be used up, and its successor is not known: it must not be sent again. */
      readonly isLost: boolean;
      /** The successor, when it arrived all the same. */
      readonly refreshToken?: string;
      /** From this server or in a strict form: never a body, never a token. */
      readonly detail: string;
    };

/** Long enough not to lose an answer that rotates a refresh token. */
const tokenSeconds = 10;

/** Errors that a new sign-in cures (RFC 6749 §5.2, OpenID Connect Core §3.1.2.6; Entra ID answers with the latter as well). */
const refusals: ReadonlySet<string> = new Set([
  "invalid_grant",
  "interaction_required",
  "login_required",
  "consent_required",
]);

const failures: Readonly<Record<string, ConfirmationFailure>> = {
  invalid_client: "client_refused",
  unauthorized_client: "client_refused",
  invalid_scope: "scope_refused",
};

const maximumToken = 16_384;

/** Answers of a provider that has not looked at the request: it can be sent again. */
const untouched: ReadonlySet<number> = new Set([429, 503]);

/** What the token endpoint has answered so far. */
interface Exchange {
  /** The new refresh token, whatever becomes of the rest of the answer. */
  next: string | undefined;
  status: number | undefined;
}

/**
 * Uses a refresh token, once (RFC 6749 §6, OpenID Connect Core §12), and reads the claims of the answer.
 *
 * @param configure - the provider with this fetch; its keys are read anew, so that a new one is known at once
 */
export async function askForClaims(
  configure: (fetch: OutboundFetch) => oidc.Configuration,
  { refreshToken, subject, wantsGroups }: ConfirmationRequest,
  outboundFetch: OutboundFetch,
): Promise<Confirmation> {
  const exchange: Exchange = { next: undefined, status: undefined };
  const config = configure(async (url, request = {}) => {
    if (request.method !== "POST") return await outboundFetch(url, request);
    const response = await outboundFetch(url, { ...request, timeoutSeconds: tokenSeconds });
    exchange.status = response.status;
    exchange.next = readNextToken(await response.clone().text());
    return response;
  });
  try {
    const tokens = await oidc.refreshTokenGrant(config, refreshToken);
    const claims = await readClaims(config, tokens, { subject, wantsGroups });
    return { kind: "confirmed", claims, refreshToken: exchange.next };
  } catch (error) {
    return describeFault(error, exchange);
  }
}

function readNextToken(body: string): string | undefined {
  try {
    const next: unknown = (JSON.parse(body) as { readonly refresh_token?: unknown } | null)?.refresh_token;
    return typeof next === "string" && next !== "" && next.length <= maximumToken ? next : undefined;
  } catch {
    return undefined;
  }
}

type RefreshedTokens = Awaited<ReturnType<typeof oidc.refreshTokenGrant>>;

/** The ID token of the answer, completed by the userinfo endpoint, as at a sign-in; either may be missing (OpenID Connect Core §12.2). */
async function readClaims(
  config: oidc.Configuration,
  tokens: RefreshedTokens,
  { subject, wantsGroups }: Pick<ConfirmationRequest, "subject" | "wantsGroups">,
): Promise<ProviderClaims | undefined> {
  const claims = tokens.claims();
  if (claims !== undefined && claims.sub !== subject) throw new OtherAccountError();
  const wanted = ["email", "email_verified", ...(wantsGroups ? ["groups"] : [])];
  const isComplete = claims !== undefined && wanted.every((name) => claims[name] !== undefined);
  if (isComplete || config.serverMetadata().userinfo_endpoint === undefined)
    return claims && joinClaims(claims, undefined);
  // Refused when it is about another account (OpenID Connect Core §5.3.2).
  const userinfo = await oidc.fetchUserInfo(config, tokens.access_token, subject);
  return joinClaims(claims ?? { sub: subject }, userinfo);
}

class OtherAccountError extends Error {
  override readonly name = "OtherAccountError";
  constructor() {
    super("The answer is about another account.");
  }
}

function describeFault(error: unknown, { next, status }: Exchange): Confirmation {
  const successor = next === undefined ? {} : { refreshToken: next };
  if (error instanceof oidc.ResponseBodyError && next === undefined) {
    const detail = errorCode(error.error);
    if (refusals.has(error.error)) return { kind: "refused", error: detail };
    const reason = failures[error.error] ?? "provider_unreachable";
    return { kind: "failed", reason, isLost: error.status >= 500 && !untouched.has(error.status), detail };
  }
  if (error instanceof oidc.WWWAuthenticateChallengeError && next === undefined)
    return { kind: "failed", reason: "client_refused", isLost: false, detail: `status ${error.status}` };
  const detail = describeFailure(error);
  const outbound = outboundErrorOf(error);
  if (status === undefined)
    return {
      kind: "failed",
      reason: "provider_unreachable",
      isLost: outbound === undefined || mayBeSent(outbound),
      detail,
    };
  // The token endpoint has answered; its answer, the keys or the userinfo endpoint are at fault.
  const isGood = status >= 200 && status < 300;
  const reason = isGood && outbound === undefined ? "invalid_response" : "provider_unreachable";
  return {
    kind: "failed",
    reason,
    isLost: next === undefined && !untouched.has(status),
    detail,
    ...successor,
  };
}

function mayBeSent({ reason, cause }: OutboundError): boolean {
  if (reason === "unreachable") return wasSent(cause);
  return reason === "timeout" || reason === "redirect" || reason === "too_large";
}

function outboundErrorOf(error: unknown): OutboundError | undefined {
  if (error instanceof OutboundError) return error;
  return error instanceof Error ? outboundErrorOf(error.cause) : undefined;
}

/** An error code in the form of RFC 6749 §5.2, so that it is safe in logs. */
function errorCode(error: string): string {
  return /^[a-z][a-z0-9_.-]{0,63}$/i.test(error) ? error : "unknown_error";
}

/** A failure for the log: codes and messages of this server and its library, which quote no answer. */
export function describeFailure(error: unknown): string {
  const outbound = outboundErrorOf(error);
  if (outbound !== undefined) return outbound.reason;
  return error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
}
