import { JwsError, type ParsedJws, parseCompactJws } from "@authz/dpop/jws";
import { OAuthError } from "../../protocol/oauth-error.js";
import { type Parameters, refuseRepeated } from "../../protocol/parameters.js";
import { clientAssertionType } from "../../protocol/vocabulary.js";

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
  refuseOtherMethods(parameters, authorization);
  const assertion = readAssertion(parameters);
  const clientId = parameters.get("client_id") ?? assertion?.payload["sub"];
  // Anything else cannot be a client's id, and NUL would be an error of the database.
  if (typeof clientId !== "string" || !/^[\x20-\x7e]{1,2048}$/.test(clientId))
    throw invalidClient("unknown_client");
  return { clientId, assertion };
}

/** A client shows who it is in one way (RFC 6749 §2.3), and here in no other than in its form. */
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
 * The one refusal of a client that is unknown or disabled, or does not prove who it is; only the log learns which, so
 * that nobody finds out who is registered.
 */
export function invalidClient(reason: string, cause?: unknown): OAuthError {
  const message =
    "The client is not registered here, or did not prove who it is. A public client sends its client_id alone; any " +
    "other one a client_assertion: check its key, iss, sub, aud, exp and jti, and the clock.";
  return new OAuthError("invalid_client", reason, message, { cause });
}
