import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { OutboundError } from "../../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import { type Fault, SignInFault } from "./sign-in-checks.js";

/** What a request of the OpenID client was for. */
type Station = "discovery" | "token" | "keys" | "userinfo";

/** A client that remembers what it asked last, so that a failure can be placed. */
export interface Watched {
  readonly fetch: OutboundFetch;
  /** The request that was made last; `undefined` before the first. */
  last(): { readonly station: Station; readonly origin: string } | undefined;
}

/** Watches one way to a provider. */
export function watch(fetch: OutboundFetch): Watched {
  let last: { station: Station; origin: string } | undefined;
  return {
    last: () => last,
    fetch(url, request = {}) {
      const station = stationOf(last, request.method, new Headers(request.headers).has("authorization"));
      last = { station, origin: new URL(url).origin };
      return fetch(url, request);
    },
  };
}

function stationOf(
  last: { readonly station: Station } | undefined,
  method: string | undefined,
  authorized: boolean,
): Station {
  if (method === "POST") return "token";
  if (last === undefined) return "discovery";
  return authorized ? "userinfo" : "keys";
}

/**
 * Names what went wrong on the way to a provider or back. `undefined` for an error that is none of the provider's.
 *
 * @param last - the last request that was made
 */
export function diagnose(
  error: unknown,
  { way, last }: { readonly way: "there" | "back"; readonly last: ReturnType<Watched["last"]> },
): SignInFault | undefined {
  const cause = error instanceof Error && error.name === "SignInError" ? error.cause : error;
  if (!(cause instanceof Error)) return undefined;
  if (cause instanceof AuthorizationResponseError) {
    return new SignInFault("provider_refused", { detail: words(cause.error, cause.error_description) });
  }
  const outbound = outboundOf(cause);
  const detail = outbound?.message ?? describe(cause);
  const station = last?.station ?? "discovery";
  if (station === "keys") {
    return new SignInFault(isSignature(cause) ? "signature_invalid" : "keys_unreachable", { detail });
  }
  if (station === "userinfo") return new SignInFault("userinfo_failed", { detail });
  if (station === "token") {
    return outbound === undefined ? tokenFault(cause) : new SignInFault("token_endpoint_failed", { detail });
  }
  // The provider's answer in the address is looked at before anything else is asked.
  const isAnswer = way === "back" && cause instanceof ClientError && cause.code === "OAUTH_INVALID_RESPONSE";
  if (isAnswer) return new SignInFault("answer_malformed", { detail });
  return new SignInFault(outbound ? discoveryFault(outbound) : metadataFault(cause), { detail });
}

function discoveryFault({ reason }: OutboundError): Fault {
  const forbidden = reason === "forbidden_address" || reason === "insecure_url" || reason === "invalid_url";
  return forbidden ? "discovery_forbidden" : "discovery_unreachable";
}

function metadataFault(cause: Error): Fault {
  if (cause instanceof TypeError) return "issuer_differs";
  if (!(cause instanceof ClientError)) return "discovery_malformed";
  if (cause.code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED") return "issuer_differs";
  return cause.code === "OAUTH_RESPONSE_IS_NOT_CONFORM" ? "discovery_status" : "discovery_malformed";
}

function tokenFault(cause: Error): SignInFault {
  if (cause instanceof WWWAuthenticateChallengeError) {
    const { error, error_description: description } = cause.cause[0]?.parameters ?? {};
    return new SignInFault("client_refused", { detail: words(error ?? `HTTP ${cause.status}`, description) });
  }
  if (cause instanceof ResponseBodyError) {
    const detail = words(cause.error, cause.error_description);
    const refused = cause.error === "invalid_client" || cause.error === "unauthorized_client";
    return new SignInFault(refused ? "client_refused" : "code_refused", { detail });
  }
  const detail = describe(cause);
  const code = cause instanceof ClientError ? cause.code : undefined;
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM" || code === "OAUTH_RESPONSE_IS_NOT_JSON")
    return new SignInFault("token_endpoint_failed", { detail });
  const nonce = claimOf(cause) === "nonce";
  return new SignInFault(nonce ? "nonce_differs" : "claims_invalid", { detail });
}

/** The name of the claim that an ID token was refused for. */
function claimOf(error: unknown): unknown {
  if (!(error instanceof Error)) {
    return typeof error === "object" && error !== null && "claim" in error ? error.claim : undefined;
  }
  return claimOf(error.cause);
}

function isSignature(cause: Error): boolean {
  const code = cause instanceof ClientError ? cause.code : undefined;
  return (
    code !== "OAUTH_RESPONSE_IS_NOT_CONFORM" && code !== "OAUTH_RESPONSE_IS_NOT_JSON" && !outboundOf(cause)
  );
}

function outboundOf(error: unknown): OutboundError | undefined {
  if (error instanceof OutboundError) return error;
  return error instanceof Error ? outboundOf(error.cause) : undefined;
}

/** The library's sentence, with the status or the values that it is about. */
function describe(error: Error): string {
  const { cause } = error;
  if (cause instanceof Response) return `HTTP ${cause.status}`;
  if (cause instanceof Error) return describe(cause);
  if (typeof cause === "object" && cause !== null && "expected" in cause && "body" in cause) {
    const found = (cause.body as { issuer?: unknown }).issuer;
    return `${String(cause.expected)} ≠ ${String(found)}`;
  }
  return error.message;
}

function words(error: string, description: string | undefined): string {
  return description === undefined || description === "" ? error : `${error}: ${description}`;
}
