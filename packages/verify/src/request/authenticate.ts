import type { ProofVerifier, VerifiedProof } from "@authz/dpop";
import { DpopError, ReplayStoreUnavailableError } from "@authz/dpop";
import type { HashedToken, TokenVerifier, VerifiedToken } from "../access-token/verify.js";
import type { Auth } from "../auth.js";
import { AuthzError, AuthzUnavailableError } from "../errors.js";
import type { AuthzLog } from "../log.js";
import type { AuthzRequest } from "../messages.js";
import { type Credentials, readCredentials } from "./credentials.js";
import type { Policies } from "./policies.js";
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

/** Returns the verified caller of one request. */
export type Authenticator = (request: AuthzRequest, policy?: Policy) => Promise<Auth>;

/** The order is the point: what costs nothing comes first, and the replay store comes last. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  return async (request, policy) => {
    const checkedPolicy = options.policies.get(policy);
    try {
      const credentials = readCredentials(request);
      checkScheme(credentials, options);
      const known = options.tokenVerifier.verify(credentials.token);
      const token = known instanceof Promise ? await known : known;
      checkBinding(credentials, token.verified);
      const proof = credentials.scheme === "DPoP" ? checkProof(request, token, options) : undefined;
      checkScopes(token.verified, checkedPolicy);
      if (proof !== undefined) await options.proofVerifier.consume(proof);
      return token.verified.auth;
    } catch (cause) {
      throw logRefusal(toAuthzError(cause), options.log);
    }
  };
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
