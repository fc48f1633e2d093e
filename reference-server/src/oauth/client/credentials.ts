import { JwsError, type ParsedJws, parseCompactJws } from "@authz/dpop/jws";
import { OAuthError } from "../oauth-error.js";
import { type Parameters, refuseRepeated } from "../parameters.js";
import { clientAssertionType } from "../vocabulary.js";

/** Who a client says it is, and what it brings to prove it. Nothing is verified yet. */
export interface ClientCredentials {
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
  if (authorization.length > 0 || parameters.get("client_secret") !== undefined) {
    const message = "Clients authenticate here with private_key_jwt, or send their client_id alone.";
    throw new OAuthError("invalid_client", "client_authentication", message);
  }
  const assertion = readAssertion(parameters);
  const clientId = parameters.get("client_id") ?? assertion?.payload["sub"];
  // Anything else cannot be a client's id, and NUL would be an error of the database.
  if (typeof clientId !== "string" || !/^[\x20-\x7e]{1,256}$/.test(clientId)) throw unknownClient();
  return { clientId, assertion };
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
    if (error instanceof JwsError) throw invalidAssertion(`assertion_${error.reason}`, error);
    throw error;
  }
}

export function unknownClient(): OAuthError {
  return new OAuthError(
    "invalid_client",
    "unknown_client",
    "The client_id names no client that is registered here.",
  );
}

/** The one refusal of a client assertion; only the log learns what was wrong. */
export function invalidAssertion(reason: string, cause?: unknown): OAuthError {
  return new OAuthError(
    "invalid_client",
    reason,
    "The client assertion is not valid: check its key, iss, sub, aud, exp and jti, and the clock.",
    { cause },
  );
}
