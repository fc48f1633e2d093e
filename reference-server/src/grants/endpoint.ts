import { DpopError, type ProofVerifier, type VerifiedProof } from "@authz/dpop";
import { recordAudit, toAuditRow } from "../audit/record.js";
import type { GroupDirectories } from "../groups/directories.js";
import type { Keys } from "../keys/keys.js";
import { fromDpopError } from "../oauth/from-dpop-error.js";
import { readClientId, requireClient } from "../oauth/identify-client.js";
import { OAuthError } from "../oauth/oauth-error.js";
import { type Parameters, refuseRepeated, requireParameter } from "../oauth/parameters.js";
import { grantTypes, paths } from "../oauth/vocabulary.js";
import type { RateLimiter } from "../rate-limits/rate-limiter.js";
import type { Client } from "../store/clients.js";
import type { Store } from "../store/store.js";
import { authorizationCodeGrant } from "./authorization-code.js";
import { consumeProof, replayRecord } from "../tokens/consume-proof.js";
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
  readonly directories: GroupDirectories;
  readonly issuer: string;
  readonly proofVerifier: ProofVerifier;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  readonly clock: () => number;
}

/** A grant type whose own types are hidden behind the phases it shares with the others. */
type AnyGrantType = (request: TokenRequest) => Promise<TokenResponse>;

/**
 * Creates the token endpoint: the phases that all grants share, in one place.
 *
 * The form is checked first, then client and proof, then the grant decides. What is issued, the proof that
 * authorised it and the audit event are stored together; a refused request uses nothing up.
 */
export function createTokenEndpoint(
  dependencies: TokenEndpointDependencies,
): (request: TokenRequest) => Promise<TokenResponse> {
  const grants: Readonly<Record<string, AnyGrantType>> = {
    [grantTypes.authorizationCode]: pipeline(
      authorizationCodeGrant,
      grantTypes.authorizationCode,
      dependencies,
    ),
    [grantTypes.refreshToken]: pipeline(refreshTokenGrant, grantTypes.refreshToken, dependencies),
    [grantTypes.tokenExchange]: pipeline(tokenExchangeGrant, grantTypes.tokenExchange, dependencies),
  };

  return async (request) => {
    refuseRepeated(request.parameters, ["grant_type"]);
    const grantType = requireParameter(request.parameters, "grant_type");
    const grant = Object.hasOwn(grants, grantType) ? grants[grantType] : undefined;
    if (grant === undefined) {
      throw new OAuthError("unsupported_grant_type", "grant_type", "This grant_type is not supported here.");
    }
    return await grant(request);
  };
}

function pipeline<Input, Situation extends { readonly client: Client | undefined }, Permit>(
  grant: GrantType<Input, Situation, Permit>,
  grantType: string,
  dependencies: TokenEndpointDependencies,
): AnyGrantType {
  const { store, keys, directories, issuer, clock, rateLimiter } = dependencies;

  return async (request) => {
    const clientId = readClientId(request);
    refuseRepeated(request.parameters, grant.parameters);
    const input = grant.parse(request.parameters);
    const { requestId } = request;
    const loading = { clientId, issuer, keys, directories, now: new Date(clock()), requestId };
    // A request that loses a race is judged again by what the winner left behind.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const situation = await grant.load(store, input, loading);
      const client = requireClient(situation.client);
      const proof = checkProof(request, dependencies);
      if (attempt === 0) await rateLimiter.take("token.client", `${client.id} ${proof.thumbprint}`);
      const context = { ...loading, client, proof };
      const verdict = grant.decide(situation, input, context);
      if (verdict.kind !== "permit") throw await refuse(verdict, { store, context, grantType });
      const issuance = grant.issue(verdict.permit, context);
      if (await isStored(issuance, store, context)) return issuance.response;
    }
    throw new OAuthError(
      "temporarily_unavailable",
      "contention",
      "Too many requests use this at once. Try again.",
    );
  };
}

/** @returns whether this request won what is used once */
async function isStored(
  { audit, store: write }: Issuance,
  store: Store,
  context: GrantContext,
): Promise<boolean> {
  const record = { proof: replayRecord(context.proof), audit: toAuditRow(audit), now: context.now };
  const outcome = await write(store.redemptions, record);
  if (outcome === "replayed") throw fromDpopError(new DpopError("replayed"));
  return outcome === "stored";
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
