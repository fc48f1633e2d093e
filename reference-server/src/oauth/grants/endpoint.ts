import { toAuditRow } from "../../audit/record.js";
import type { Refusals } from "../../audit/refusals.js";
import type { GroupDirectories } from "../../permissions/groups/directories.js";
import type { Config } from "../../config/config.js";
import type { Keys } from "../keys/keys.js";
import {
  authenticateClient,
  readClientCredentials,
  requireGrantType,
  type FormRequest,
} from "../clients/authenticate.js";
import type { ClientSources } from "../clients/metadata-document/client-documents.js";
import { missingProof, onceRecords, readProof, replayedError } from "../clients/proof.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { refuseRepeated, requireParameter } from "../../protocol/parameters.js";
import { type GrantTypeName, grantTypes, paths } from "../../protocol/vocabulary.js";
import type { RateLimiter } from "../../platform/rate-limits/rate-limiter.js";
import type { Client } from "../../store/clients.js";
import type { RedemptionOutcome } from "../../store/redemptions.js";
import type { Store } from "../../store/store.js";
import type { ProofChecker } from "@authz/dpop";
import { authorizationCodeGrant } from "./authorization-code.js";
import { clientCredentialsGrant } from "./client-credentials.js";
import { deviceCodeGrant } from "./device-code.js";
import type { ProviderKeys } from "../../sign-in/provider-keys.js";
import type { Presence } from "../../lifecycle/presence/presence.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import type { GrantContext, GrantType, Issuance, RequestContext, TokenResponse, Verdict } from "./grant.js";
import { createJwtBearerGrant } from "./jwt-bearer.js";
import { createNextRefreshToken, refreshTokenGrant } from "./refresh-token.js";
import { refuse } from "./refuse.js";
import { tokenExchangeGrant } from "./token-exchange.js";

export interface TokenEndpointDependencies extends Pick<ClientSources, "clientDocuments"> {
  readonly config: Pick<Config, "sessionSecret">;
  readonly store: Store;
  readonly keys: Keys;
  readonly directories: GroupDirectories;
  readonly presence: Pick<Presence, "check">;
  readonly issuer: string;
  readonly proofChecker: ProofChecker;
  readonly providerKeys: ProviderKeys;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  readonly refusals: Pick<Refusals, "from">;
  readonly clock: () => number;
}

/** A grant type behind the shared phases, which hide its own types. */
type AnyGrantType = (request: FormRequest) => Promise<TokenResponse>;

/**
 * Creates the token endpoint: the phases that all grants share, in one place.
 *
 * The form is checked first, then client and proof, then the grant decides. What is issued, what authorized it (proof, client
 * assertion) and the audit event are stored together; a refused request uses nothing up.
 */
export function createTokenEndpoint(
  dependencies: TokenEndpointDependencies,
): (request: FormRequest) => Promise<TokenResponse> {
  const mount = <
    Input,
    Situation extends { readonly client: Client | undefined },
    Permit extends AboutPerson,
  >(
    name: keyof typeof grantTypes,
    grant: GrantType<Input, Situation, Permit>,
  ): [string, AnyGrantType] => [grantTypes[name], pipeline(grant, grantTypes[name], dependencies)];
  const grants = new Map<string, AnyGrantType>([
    mount("authorizationCode", authorizationCodeGrant),
    mount("refreshToken", refreshTokenGrant),
    mount("tokenExchange", tokenExchangeGrant),
    mount("deviceCode", deviceCodeGrant),
    mount("clientCredentials", clientCredentialsGrant),
    mount("jwtBearer", createJwtBearerGrant(dependencies.providerKeys)),
  ]);

  return async (request) => {
    refuseRepeated(request.parameters, ["grant_type"]);
    const grant = grants.get(requireParameter(request.parameters, "grant_type"));
    if (grant === undefined) {
      throw new OAuthError("unsupported_grant_type", "grant_type", "This grant_type is not supported here.");
    }
    return await grant(request);
  };
}

/** What is permitted is for this person; `undefined`: for a machine. */
interface AboutPerson {
  readonly person?: Permissions | undefined;
}

function pipeline<
  Input,
  Situation extends { readonly client: Client | undefined },
  Permit extends AboutPerson,
>(
  grant: GrantType<Input, Situation, Permit>,
  grantType: GrantTypeName,
  dependencies: TokenEndpointDependencies,
): AnyGrantType {
  const { config, store, keys, directories, issuer, clock, rateLimiter, proofChecker } = dependencies;
  const nextRefreshToken = createNextRefreshToken(config.sessionSecret);

  return async (request) => {
    const credentials = readClientCredentials(request);
    refuseRepeated(request.parameters, grant.parameters);
    const input = grant.parse(request.parameters);
    const { clientId } = credentials;
    const { requestId } = request;
    const loading: RequestContext = {
      clientId,
      issuer,
      keys,
      directories,
      nextRefreshToken,
      now: new Date(clock()),
      requestId,
    };
    await dependencies.clientDocuments.ensure(clientId, request.clientAddress);
    // A request that loses a race is decided again on the state that the winner stored.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      let situation = await grant.load(store, input, loading);
      const authenticated = authenticateClient(situation.client, credentials, loading);
      requireGrantType(authenticated.client, grantType);
      const proof = checkProof(request, authenticated.client, dependencies);
      const context: GrantContext = { ...loading, ...authenticated, proof };
      const caller = provenCaller(context);
      if (attempt === 0 && caller !== undefined) await rateLimiter.take("token.client", caller);
      let verdict = grant.decide(situation, input, context);
      if (attempt === 0 && (await askPresence(verdict, dependencies))) {
        situation = await grant.load(store, input, loading);
        verdict = grant.decide(situation, input, context);
      }
      if (verdict.kind === "wait") throw await verdict.ask(store);
      const refused = async (refusal: Parameters<typeof refuse>[0]) => {
        const refusals = dependencies.refusals.from(request.clientAddress());
        return await refuse(refusal, { store, refusals, context, grantType, parameters: request.parameters });
      };
      if (verdict.kind !== "permit") throw await refused(verdict);
      const issuance = grant.issue(verdict.permit, context);
      // Without a key, only a credential that proved good identifies the caller to count.
      if (attempt === 0 && caller === undefined)
        await rateLimiter.take("token.client", `${clientId} ${issuance.basis.userId ?? ""}`);
      const outcome = await storeIssuance(issuance, store, context);
      if (outcome.kind === "lost") continue;
      if (outcome.kind === "replayed") {
        const { once } = issuance;
        if (outcome.key !== once?.record.key) throw replayedError(outcome.key, context);
        throw await refused({ kind: "refuse", error: once.replayed, concern: once.concern });
      }
      if (proof !== undefined) proofChecker.remember(proof);
      return issuance.respond(outcome.statusIndex);
    }
    throw new OAuthError(
      "temporarily_unavailable",
      "contention",
      "Too many requests use this at once. Try again.",
    );
  };
}

/**
 * Asks the provider whether the person is still there, if that is due: only for a request that would be answered, or is refused because there
 * was no answer before. Returns whether that may have changed what was decided.
 *
 * @throws {OAuthError} `temporarily_unavailable`: the provider does not answer, and the time of grace is over.
 */
async function askPresence(
  verdict: Verdict<AboutPerson>,
  { presence }: Pick<TokenEndpointDependencies, "presence">,
): Promise<boolean> {
  const subject = presenceSubject(verdict);
  if (subject === undefined) return false;
  const result = await presence.check(subject.userId, subject.dueAt);
  if (result !== "overdue") return result === "settled";
  throw new OAuthError(
    "temporarily_unavailable",
    "presence_unanswered",
    "The sign-in provider does not answer whether the account is still active. Try again in a moment.",
    { retryAfterSeconds: 5 },
  );
}

function presenceSubject(
  verdict: Verdict<AboutPerson>,
): { readonly userId: string; readonly dueAt: number | null } | undefined {
  if (verdict.kind === "permit") {
    const { person } = verdict.permit;
    return person && { userId: person.user.id, dueAt: person.presenceDueAt ?? null };
  }
  if (verdict.kind !== "refuse" || verdict.error.reason !== "user_paused") return undefined;
  const userId = verdict.concern?.userId;
  // A pause says nothing of when: the check finds out.
  return userId === undefined ? undefined : { userId, dueAt: 0 };
}

/**
 * The caller that a request counts for: an authenticated client, or one device of a public client. `undefined` while nothing is
 * proven: a caller that only knows a `client_id` must not use up the share of others.
 */
function provenCaller({ client, proof }: GrantContext): string | undefined {
  if (client.type !== "public") return client.id;
  return proof === undefined ? undefined : `${client.id} ${proof.thumbprint}`;
}

/** Stores what was issued, if its single-use credentials are unused and the basis of its decision still holds. */
async function storeIssuance(
  { audit, basis, once, store: write }: Issuance,
  store: Store,
  context: GrantContext,
): Promise<RedemptionOutcome> {
  const { client, now } = context;
  return await write(store.redemptions, {
    once: [...onceRecords(context), ...(once === undefined ? [] : [once.record])],
    basis: { ...basis, clientId: client.id },
    audit: toAuditRow(audit),
    now,
  });
}

function checkProof(
  request: FormRequest,
  client: Client,
  { proofChecker, issuer }: TokenEndpointDependencies,
): GrantContext["proof"] {
  const proof = readProof(
    { dpop: request.dpop, method: "POST", url: `${issuer}${paths.token}` },
    proofChecker,
  );
  if (proof === undefined && client.dpopBound) throw missingProof();
  return proof;
}
