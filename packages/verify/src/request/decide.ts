import { type ProofChecker, type ReplayStore, spendProof, type VerifiedProof } from "@authz/dpop";
import type { KnownToken, VerifiedToken } from "../access-token/cache.js";
import type { TokenVerifier } from "../access-token/verify.js";
import type { Admission, Auth, Decision, Policy, Refusal } from "../decision.js";
import { AuthzError, toAuthzError } from "../errors.js";
import type { StatusList } from "../issuer/status-list.js";
import { type AuthzLog, logRefusal } from "../log.js";
import type { AuthzRequest } from "../messages.js";
import { explainWrongUrl } from "../mismatch.js";
import { formatNonceHeaders, formatRefusal, type RefusalOptions } from "../refusal.js";
import { type Credentials, readCredentials, readProof, recallCredentials } from "./credentials.js";
import { type CheckedPolicy, missingScopes, type Policies } from "./policy.js";
import { readPath } from "./target.js";

/** The dependencies of decisions. */
export interface DeciderOptions {
  readonly publicOrigin: string;
  readonly policies: Policies;
  readonly tokenVerifier: TokenVerifier;
  readonly proofChecker: ProofChecker;
  readonly statusList: StatusList;
  /** Refuses a token for one call on every other. @throws {AuthzError} */
  readonly checkTransaction: (request: AuthzRequest, token: VerifiedToken) => void;
  readonly verification: "synchronous" | "concurrent";
  readonly replayStore: ReplayStore;
  readonly refusals: RefusalOptions;
  readonly log: AuthzLog;
}

/** A request with its scheme and policy. */
interface ProtectedCall {
  readonly request: AuthzRequest;
  readonly scheme: Credentials["scheme"];
  readonly policy: Policy;
}

/** Cheap checks come first, and the replay store comes last. */
export function createDecider(
  options: DeciderOptions,
): (request: AuthzRequest, policy?: Policy) => Decision | Promise<Decision> {
  const { policies, tokenVerifier, proofChecker, statusList, checkTransaction, replayStore, refusals, log } =
    options;

  /** Returns the verified caller, without a promise if possible. */
  function authenticate(request: AuthzRequest, policy: Policy): Auth | Promise<Auth> {
    const recalled = recallCredentials(request, tokenVerifier.recall);
    if (recalled !== undefined) return finish({ request, scheme: "DPoP", policy }, recalled);
    const { scheme, token } = readCredentials(request);
    checkScheme(scheme, refusals);
    const call = { request, scheme, policy };
    const known = tokenVerifier.verify(token);
    return known instanceof Promise ? known.then((later) => finish(call, later)) : finish(call, known);
  }

  function finish(call: ProtectedCall, known: KnownToken): Auth | Promise<Auth> {
    const renewed = known.verified.statusIndex === undefined ? undefined : statusList.renew();
    return renewed === undefined ? checkCall(call, known) : renewed.then(() => checkCall(call, known));
  }

  function checkCall(call: ProtectedCall, known: KnownToken): Auth | Promise<Auth> {
    const { verified } = known;
    checkBinding(call.scheme, verified);
    statusList.check(verified.statusIndex, "invalid_token");
    if (verified.transaction !== undefined) checkTransaction(call.request, verified);
    if (call.scheme === "Bearer") {
      checkScopes(known, call.policy);
      return verified.auth;
    }
    const proof = checkProof(call.request, known, options);
    return proof instanceof Promise
      ? proof.then((later) => spend(later, call, known))
      : spend(proof, call, known);
  }

  function spend(proof: VerifiedProof, { policy }: ProtectedCall, known: KnownToken): Auth | Promise<Auth> {
    const { verified } = known;
    if (proof.thumbprint !== verified.keyThumbprint) {
      throw new AuthzError("invalid_token", "proof_key_mismatch");
    }
    checkScopes(known, policy);
    const pending = spendProof(proof, replayStore);
    if (pending === undefined) return accept(proof, known);
    return pending.then(() => accept(proof, known));
  }

  function accept(proof: VerifiedProof, known: KnownToken): Auth {
    known.proofKey = proofChecker.keyOf(proof);
    return known.verified.auth;
  }

  const admit = (auth: Auth): Admission => ({ auth, headers: formatNonceHeaders(refusals.nonces) });

  /** Adds the scopes of the route to every challenge. Rethrows errors that are not refusals. */
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

function checkScheme(scheme: Credentials["scheme"], { bearerAllowed }: RefusalOptions): void {
  if (scheme === "Bearer" && !bearerAllowed) throw new AuthzError("invalid_token", "scheme_not_accepted");
}

/** Rejects a bound token sent as Bearer and an unbound one sent with a proof. */
function checkBinding(scheme: Credentials["scheme"], { keyThumbprint }: VerifiedToken): void {
  if (scheme === "Bearer" && keyThumbprint !== undefined)
    throw new AuthzError("invalid_token", "token_bound");
  if (scheme === "DPoP" && keyThumbprint === undefined)
    throw new AuthzError("invalid_token", "token_not_bound");
}

function checkProof(
  request: AuthzRequest,
  { hash, proofKey }: KnownToken,
  { proofChecker, publicOrigin, verification }: DeciderOptions,
): VerifiedProof | Promise<VerifiedProof> {
  const proof = readProof(request.dpop);
  const input = {
    proof,
    method: request.method,
    url: publicOrigin + readPath(request.url),
    accessTokenHash: hash,
    expectedKey: proofKey,
  };
  try {
    return verification === "concurrent" ? proofChecker.checkConcurrently(input) : proofChecker.check(input);
  } catch (error) {
    throw explainWrongUrl(error, proof, publicOrigin);
  }
}

/** Checks the same policy once per token, because neither ever changes. */
function checkScopes(known: KnownToken, policy: Policy): void {
  if (known.metPolicy === policy) return;
  const requiredScopes = missingScopes(policy, known.verified.scopes);
  if (requiredScopes.length > 0)
    throw new AuthzError("insufficient_scope", "scope_missing", { requiredScopes });
  known.metPolicy = policy;
}
