import { publicOrigin } from "./fixture.js";
import type { RawResponse } from "./raw-request.js";

/** What a caller can see of a refused request. */
export interface Refusal {
  readonly status: number;
  /** `WWW-Authenticate`, one entry per line. */
  readonly challenges: readonly string[];
  readonly contentType: string | undefined;
  readonly cacheControl: string | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** The visible part of a response, to be compared with one of the refusals below. */
export function visible({ status, headers, body }: RawResponse): Refusal {
  return {
    status,
    challenges: headers.get("www-authenticate") ?? [],
    contentType: headers.get("content-type")?.join(", "),
    cacheControl: headers.get("cache-control")?.join(", "),
    retryAfter: headers.get("retry-after")?.join(", "),
    body,
  };
}

const challenge = `DPoP algs="ES256", resource_metadata="${publicOrigin}/.well-known/oauth-protected-resource/api"`;

function refusal(status: number, challenges: readonly string[], error: string, description: string): Refusal {
  return {
    status,
    challenges,
    contentType: "application/json",
    cacheControl: "no-store",
    retryAfter: status === 503 ? "1" : undefined,
    body: JSON.stringify({ error, error_description: description }),
  };
}

/** What the route `/api/contracts` asks for. */
const scope = 'scope="contracts:read"';

function withError(error: string): string[] {
  return [`${challenge}, error="${error}", ${scope}`];
}

/** No credentials at all. */
export const unauthorized: Refusal = refusal(
  401,
  [`${challenge}, ${scope}`],
  "unauthorized",
  "This route needs authorization. Send an access token with a DPoP proof.",
);

/** The same refusal on a route that any valid authorization opens. */
export function ofOpenRoute(refused: Refusal): Refusal {
  return { ...refused, challenges: refused.challenges.map((line) => line.replace(`, ${scope}`, "")) };
}

/** A bad, expired or foreign token, or one that does not belong to the proof's key or to the scheme. */
export const invalidToken: Refusal = refusal(
  401,
  withError("invalid_token"),
  "invalid_token",
  "The token is not valid for this service. Get a new one.",
);

/** A bad, stale or replayed proof. */
export const invalidProof: Refusal = refusal(
  401,
  withError("invalid_dpop_proof"),
  "invalid_dpop_proof",
  "The DPoP proof is not valid for this request. Make a new one for every request.",
);

/** A token without a proof. */
export const noProof: Refusal = refusal(
  401,
  withError("invalid_dpop_proof"),
  "invalid_dpop_proof",
  "No DPoP proof arrived with the request. Send one. If you did, something on the way removed the DPoP header.",
);

/** Server nonces are on, and the proof has none that is fresh. */
export const nonceWanted: Refusal = refusal(
  401,
  withError("use_dpop_nonce"),
  "use_dpop_nonce",
  "Repeat the request with the nonce from the DPoP-Nonce header in the proof.",
);

/** More than one credential. */
export const ambiguous: Refusal = refusal(
  400,
  [`${challenge}, error="invalid_request"`],
  "invalid_request",
  "The request is malformed, or has a parameter or credential more than once.",
);

/** Nothing can be checked now, so nothing is accepted. */
export const unavailable: Refusal = refusal(
  503,
  [],
  "temporarily_unavailable",
  "The request cannot be checked right now. Try again.",
);

/** A person declined the call. */
export const deniedApproval: Refusal = refusal(
  403,
  [],
  "access_denied",
  "This call was not approved, or approval cannot be asked for now. Do not repeat it unless the user asks you to.",
);

/** Nobody can be asked. */
export const impossibleApproval: Refusal = refusal(
  403,
  [],
  "access_denied",
  "This call needs a person's approval, and the access token belongs to no session of a person that could ask for it.",
);

/** Valid authorization that does not reach far enough. */
export function missingScope(...scopes: string[]): Refusal {
  return refusal(
    403,
    [`${challenge}, error="insufficient_scope", scope="${scopes.join(" ")}"`],
    "insufficient_scope",
    "The access token does not have the scopes that this route needs.",
  );
}
