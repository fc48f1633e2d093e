import { type ProofChecker, type ReplayStore, spendProof, type VerifiedProof } from "@authz/dpop";
import type { VerifiedToken } from "../access-token/cache.js";
import type { HashedToken, TokenVerifier } from "../access-token/verify.js";
import type { Admission, Auth, Decision, Policy, Refusal } from "../decision.js";
import { AuthzError, toAuthzError } from "../errors.js";
import { type AuthzLog, logRefusal } from "../log.js";
import type { AuthzRequest } from "../messages.js";
import { formatNonceHeaders, formatRefusal, type RefusalOptions } from "../refusal.js";
import { checkingProof } from "./checking-proof.js";
import { type Credentials, readCredentials, readProof } from "./credentials.js";
import { type CheckedPolicy, missingScopes, type Policies } from "./policy.js";
import { readPath } from "./target.js";

/** What deciding about a protected request takes. */
export interface DeciderOptions {
  readonly publicOrigin: string;
  readonly policies: Policies;
  readonly tokenVerifier: TokenVerifier;
  readonly proofChecker: ProofChecker;
  readonly replayStore: ReplayStore;
  readonly refusals: RefusalOptions;
  readonly log: AuthzLog;
}

/** The order matters: cheap checks come first, and the replay store comes last. */
export function createDecider(
  options: DeciderOptions,
): (request: AuthzRequest, policy?: Policy) => Decision | Promise<Decision> {
  const { policies, tokenVerifier, replayStore, refusals, log } = options;

  /** Returns the verified caller, at once when nothing has to be waited for. */
  function authenticate(request: AuthzRequest, policy: Policy): Auth | Promise<Auth> {
    const credentials = readCredentials(request);
    checkScheme(credentials, refusals);
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
    const pending = proof && spendProof(proof, replayStore);
    return pending === undefined ? verified.auth : pending.then(() => verified.auth);
  }

  const admit = (auth: Auth): Admission => ({ auth, headers: formatNonceHeaders(refusals.nonces) });

  /** The challenge names the scopes of the route, whatever was wrong. Errors that are not refusals are rethrown. */
  function refuse(cause: unknown, { scopes }: CheckedPolicy): Refusal {
    const error = toAuthzError(cause);
    if (!(error instanceof AuthzError)) throw error;
    logRefusal(error, log);
    return { refusal: formatRefusal(withRouteScopes(error, scopes), "protected", refusals) };
  }

  return (request, policy) => {
    const checked = policies.get(policy);
    try {
      const auth = authenticate(request, checked.policy);
      if (!(auth instanceof Promise)) return admit(auth);
      return auth.then(admit, (cause: unknown) => refuse(cause, checked));
    } catch (cause) {
      return refuse(cause, checked);
    }
  };
}

function withRouteScopes(error: AuthzError, scopes: readonly string[]): AuthzError {
  const { code, reason, cause, requiredScopes } = error;
  if (scopes.length === 0 || requiredScopes.length > 0) return error;
  return new AuthzError(code, reason, { cause, requiredScopes: scopes });
}

function checkScheme({ scheme }: Credentials, { bearerAllowed }: RefusalOptions): void {
  if (scheme === "Bearer" && !bearerAllowed) throw new AuthzError("invalid_token", "scheme_not_accepted");
}

/** A bound token is not accepted without its key, and an unbound one not as if it had one. */
function checkBinding({ scheme }: Credentials, { keyThumbprint }: VerifiedToken): void {
  if (scheme === "Bearer" && keyThumbprint !== undefined)
    throw new AuthzError("invalid_token", "token_bound");
  if (scheme === "DPoP" && keyThumbprint === undefined)
    throw new AuthzError("invalid_token", "token_not_bound");
}

function checkProof(
  request: AuthzRequest,
  token: HashedToken,
  { proofChecker, publicOrigin }: DeciderOptions,
): VerifiedProof {
  const proof = checkingProof({ proof: readProof(request.dpop), publicOrigin }, (text) =>
    proofChecker.check({
      proof: text,
      method: request.method,
      url: publicOrigin + readPath(request.url),
      accessTokenHash: token.hash,
    }),
  );
  if (proof.thumbprint !== token.verified.keyThumbprint) {
    throw new AuthzError("invalid_token", "proof_key_mismatch");
  }
  return proof;
}

function checkScopes({ scopes }: VerifiedToken, policy: Policy): void {
  const requiredScopes = missingScopes(policy, scopes);
  if (requiredScopes.length > 0)
    throw new AuthzError("insufficient_scope", "scope_missing", { requiredScopes });
}
