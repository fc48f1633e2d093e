import type { ProofVerifier, VerifiedProof } from "@authz/dpop";
import { recordAudit } from "../audit/record.js";
import type { Keys } from "../keys/keys.js";
import { fromDpopError } from "../oauth/from-dpop-error.js";
import { identifyClient } from "../oauth/identify-client.js";
import { OAuthError } from "../oauth/oauth-error.js";
import { type Parameters, refuseRepeated, requireParameter } from "../oauth/parameters.js";
import { grantTypes, paths } from "../oauth/vocabulary.js";
import type { Store } from "../store/store.js";
import { authorizationCodeGrant } from "./authorization-code.js";
import { consumeProof } from "../tokens/consume-proof.js";
import type { GrantContext, GrantType, Issuance, TokenResponse, Verdict } from "./grant.js";
import { refreshTokenGrant } from "./refresh-token.js";
import { tokenExchangeGrant } from "./token-exchange.js";

/** One request to the token endpoint, free of any framework. */
export interface TokenRequest {
  readonly parameters: Parameters;
  /** Every `DPoP` header. */
  readonly dpop: readonly string[];
  /** Every `Authorization` header. */
  readonly authorization: readonly string[];
  readonly requestId: string;
}

export interface TokenEndpointDependencies {
  readonly store: Store;
  readonly keys: Keys;
  readonly issuer: string;
  readonly proofVerifier: ProofVerifier;
  readonly clock: () => number;
}

/** A grant type whose own types are hidden behind the phases it shares with the others. */
type AnyGrantType = (request: TokenRequest, context: ContextSource) => Promise<TokenResponse>;
type ContextSource = () => Promise<GrantContext>;

/**
 * Creates the token endpoint: the phases that all grants share, in one place.
 *
 * Form, client and parameters are checked before the proof, and the proof before anything is loaded. What is
 * issued, the proof that authorised it and the audit event are stored in one transaction; a refused request
 * uses nothing up.
 */
export function createTokenEndpoint(
  dependencies: TokenEndpointDependencies,
): (request: TokenRequest) => Promise<TokenResponse> {
  const grants: Readonly<Record<string, AnyGrantType>> = {
    [grantTypes.authorizationCode]: pipeline(
      authorizationCodeGrant,
      grantTypes.authorizationCode,
      dependencies.store,
    ),
    [grantTypes.refreshToken]: pipeline(refreshTokenGrant, grantTypes.refreshToken, dependencies.store),
    [grantTypes.tokenExchange]: pipeline(tokenExchangeGrant, grantTypes.tokenExchange, dependencies.store),
  };

  return async (request) => {
    refuseRepeated(request.parameters, ["grant_type"]);
    const grantType = requireParameter(request.parameters, "grant_type");
    const client = await identifyClient(request, dependencies.store);
    const grant = Object.hasOwn(grants, grantType) ? grants[grantType] : undefined;
    if (grant === undefined) {
      throw new OAuthError("unsupported_grant_type", "grant_type", "This grant_type is not supported here.");
    }
    return await grant(request, async () => ({
      client,
      proof: checkProof(request, dependencies),
      issuer: dependencies.issuer,
      keys: dependencies.keys,
      now: new Date(dependencies.clock()),
      requestId: request.requestId,
    }));
  };
}

function checkProof(
  request: TokenRequest,
  { proofVerifier, issuer }: TokenEndpointDependencies,
): VerifiedProof {
  const [proof] = request.dpop;
  if (proof === undefined || request.dpop.length > 1) {
    const reason = proof === undefined ? "missing_proof" : "several_proofs";
    throw new OAuthError("invalid_dpop_proof", reason, "Exactly one DPoP proof is needed.");
  }
  try {
    return proofVerifier.check({ proof, method: "POST", url: `${issuer}${paths.token}` });
  } catch (error) {
    throw fromDpopError(error);
  }
}

function pipeline<Input, Situation, Permit>(
  grant: GrantType<Input, Situation, Permit>,
  grantType: string,
  store: Store,
): AnyGrantType {
  return async ({ parameters }, contextSource) => {
    refuseRepeated(parameters, grant.parameters);
    const input = grant.parse(parameters);
    const context = await contextSource();
    // A request that loses a race is judged again by what the winner left behind.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const verdict = grant.decide(await grant.load(store, input, context), input, context);
      if (verdict.kind !== "permit") throw await refuse(verdict, { store, context, grantType });
      const issuance = grant.issue(verdict.permit, context);
      if (await commit(issuance, store, context)) return issuance.response;
    }
    throw new OAuthError(
      "temporarily_unavailable",
      "contention",
      "Too many requests use this at once. Try again.",
    );
  };
}

class LostRace extends Error {}

async function commit(issuance: Issuance, store: Store, { proof }: GrantContext): Promise<boolean> {
  try {
    await store.transaction(async (transaction) => {
      await consumeProof(transaction, proof);
      if (!(await issuance.commit(transaction))) throw new LostRace();
    });
    return true;
  } catch (error) {
    if (error instanceof LostRace) return false;
    throw fromDpopError(error);
  }
}

/** Records why a request about a known log-in is refused, and revokes the log-in where the verdict says so. */
async function refuse(
  verdict: Exclude<Verdict<never>, { kind: "permit" }>,
  { store, context, grantType }: { store: Store; context: GrantContext; grantType: string },
): Promise<unknown> {
  const { error, concern } = verdict;
  if (concern === undefined) return error;
  const { now: at, client, requestId, proof } = context;
  const envelope = {
    actor: { type: "client", id: client.id },
    at,
    subject: concern.userId,
    clientId: client.id,
    requestId,
  } as const;
  try {
    await store.transaction(async (transaction) => {
      if (verdict.kind === "revoke") {
        const { grantId } = verdict.concern;
        // A replayed proof must not be able to end a log-in.
        await consumeProof(transaction, proof);
        if (await transaction.grants.revoke({ id: grantId, reason: verdict.reason, at })) {
          const data = { grantId, reason: verdict.reason };
          await recordAudit(transaction, { ...envelope, type: "grant.revoked", outcome: "success", data });
        }
      }
      const data = { grantType, grantId: concern.grantId, error: error.code, reason: error.reason };
      await recordAudit(transaction, { ...envelope, type: "token.refused", outcome: "denied", data });
    });
  } catch (failure) {
    return fromDpopError(failure);
  }
  return error;
}
