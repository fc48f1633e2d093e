import type { ProofVerifier, VerifiedProof } from "@authz/dpop";
import { DpopError, ReplayStoreUnavailableError } from "@authz/dpop";
import type { HashedToken, TokenVerifier, VerifiedToken } from "../access-token/verify.js";
import type { Auth } from "../auth.js";
import { AuthzError, AuthzUnavailableError } from "../errors.js";
import type { AuthzLog } from "../log.js";
import type { AuthzRequest } from "../messages.js";
import { type Credentials, readCredentials } from "./credentials.js";
import type { CheckedPolicy, Policies } from "./policies.js";
import { missingScopes, type Policy } from "./policy.js";
import { readPath } from "./target.js";

/** What verifying a protected request takes. */
export interface AuthenticatorOptions {
  readonly publicOrigin: string;
  readonly bearerAllowed: boolean;
  readonly policies: Policies;
  readonly tokenVerifier: TokenVerifier;
  readonly proofVerifier: ProofVerifier;
  readonly log: AuthzLog;
}

/** Returns the verified caller of one request, at once when nothing has to be waited for. */
export type Authenticator = (request: AuthzRequest, policy?: Policy) => Auth | Promise<Auth>;

/** The order is the point: what costs nothing comes first, and the replay store comes last. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { policies, tokenVerifier, proofVerifier, log } = options;

  function begin(request: AuthzRequest, policy: Policy): Auth | Promise<Auth> {
    const credentials = readCredentials(request);
    checkScheme(credentials, options);
    const token = tokenVerifier.verify(credentials.token);
    if (!(token instanceof Promise)) return finish(request, credentials, { token, policy });
    return token.then((verified) => finish(request, credentials, { token: verified, policy }));
  }

  function finish(
    request: AuthzRequest,
    credentials: Credentials,
    { token, policy }: { readonly token: HashedToken; readonly policy: Policy },
  ): Auth | Promise<Auth> {
    const { verified } = token;
    checkBinding(credentials, verified);
    const proof = credentials.scheme === "DPoP" ? checkProof(request, token, options) : undefined;
    checkScopes(verified, policy);
    const pending = proof && proofVerifier.consume(proof);
    return pending === undefined ? verified.auth : pending.then(() => verified.auth);
  }

  function fail(cause: unknown, { scopes }: CheckedPolicy): never {
    const error = toAuthzError(cause);
    throw logRefusal(error instanceof AuthzError ? withRouteScopes(error, scopes) : error, log);
  }

  return (request, policy) => {
    const checked = policies.get(policy);
    try {
      const auth = begin(request, checked.policy);
      return auth instanceof Promise ? auth.catch((cause: unknown) => fail(cause, checked)) : auth;
    } catch (cause) {
      return fail(cause, checked);
    }
  };
}

/** Whatever was wrong, the challenge says what the route asks for. */
function withRouteScopes(error: AuthzError, scopes: readonly string[]): AuthzError {
  const { code, reason, cause, requiredScopes } = error;
  if (scopes.length === 0 || requiredScopes.length > 0) return error;
  return new AuthzError(code, reason, { cause, requiredScopes: scopes });
}

/** Logs a refusal and passes it on; what is no refusal is for the application to log. */
export function logRefusal(error: unknown, log: AuthzLog): unknown {
  if (error instanceof AuthzError) {
    log({ type: "refused", code: error.code, reason: error.reason, cause: error.cause });
  }
  return error;
}

function checkScheme({ scheme }: Credentials, { bearerAllowed }: AuthenticatorOptions): void {
  if (scheme === "Bearer" && !bearerAllowed) throw new AuthzError("invalid_token", "scheme_not_accepted");
}

/** A bound token is not accepted without its key, and an unbound one not as if it had one. */
function checkBinding({ scheme }: Credentials, { keyThumbprint }: VerifiedToken): void {
  if (scheme === "Bearer" && keyThumbprint !== undefined)
    throw new AuthzError("invalid_token", "token_bound");
  if (scheme === "DPoP" && keyThumbprint === undefined)
    throw new AuthzError("invalid_token", "token_not_bound");
}

function checkProof(request: AuthzRequest, token: HashedToken, options: AuthenticatorOptions): VerifiedProof {
  const proof = options.proofVerifier.check({
    proof: readProof(request.dpop),
    method: request.method,
    url: options.publicOrigin + readPath(request.url),
    accessTokenHash: token.hash,
  });
  if (proof.thumbprint !== token.verified.keyThumbprint) {
    throw new AuthzError("invalid_token", "proof_key_mismatch");
  }
  return proof;
}

/** The one proof of a request. Where Fetch has joined repeated lines with a comma, the result is no proof. */
export function readProof(lines: readonly string[]): string {
  const [proof] = lines;
  if (proof === undefined || proof === "") throw new AuthzError("invalid_dpop_proof", "proof_missing");
  if (lines.length > 1) throw new AuthzError("invalid_dpop_proof", "proof_repeated");
  return proof;
}

function checkScopes({ scopes }: VerifiedToken, policy: Policy): void {
  const requiredScopes = missingScopes(policy, scopes);
  if (requiredScopes.length > 0)
    throw new AuthzError("insufficient_scope", "scope_missing", { requiredScopes });
}

/** Translates what the layers below throw. A foreign error comes back as it is. */
export function toAuthzError(error: unknown): unknown {
  if (error instanceof DpopError) return new AuthzError(error.code, `dpop_${error.reason}`, { cause: error });
  if (error instanceof ReplayStoreUnavailableError) {
    return new AuthzError("temporarily_unavailable", "replay_store_unavailable", { cause: error });
  }
  if (error instanceof AuthzUnavailableError) {
    return new AuthzError("temporarily_unavailable", error.reason, { cause: error });
  }
  return error;
}
