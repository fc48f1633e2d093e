import { useUp } from "../oauth/clients/proof.js";
import type { PostedRequest } from "../oauth/endpoints/client-endpoints.js";
import { unknownTarget } from "../oauth/requested-resource.js";
import type { GroupDirectories } from "../permissions/groups/directories.js";
import type { RateLimiter } from "../platform/rate-limits/rate-limiter.js";
import { OAuthError } from "../protocol/oauth-error.js";
import { isUuid, refuseRepeated } from "../protocol/parameters.js";
import { paths } from "../protocol/vocabulary.js";
import type { Keys } from "../oauth/keys/keys.js";
import type { Refusals } from "../audit/refusals.js";
import { type Approval, ruledCallType } from "../store/approvals.js";
import type { Resource } from "../store/resources.js";
import { askForApproval, challengedApproval } from "./ask.js";
import { authenticateCaller, type CallerContext, callerFault, type TransactionCaller } from "./caller.js";
import { type Challenge, parseChallenge, readChallenge } from "./challenge.js";
import { collect, isCollectable, type TransactionTokenResponse } from "./collect.js";
import { type CallSession, loadSession } from "./session.js";
import type { Waiting } from "./waiting.js";

export interface TransactionEndpointContext extends CallerContext {
  readonly keys: Keys;
  readonly directories: GroupDirectories;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  readonly refusals: Pick<Refusals, "from">;
  readonly waiting: Pick<Waiting, "until">;
  readonly clock: () => number;
}

/** The challenge was accepted; nothing is approved yet. */
interface PendingResponse {
  readonly transaction_authorization_id: string;
  readonly authorization_uri: string;
  readonly expires_in: number;
  readonly interval: number;
}

interface Exchange {
  readonly caller: TransactionCaller;
  readonly request: PostedRequest;
  readonly context: TransactionEndpointContext;
}

/** How far back a service's reach to a session is looked for. */
const reachSeconds = 3600;
/** How long a service gets the same answer to a call that was declined. It has no identifier to poll with. */
const declinedSeconds = 600;
const longestWaitSeconds = 30;

/**
 * Answers the transaction authorization endpoint: a challenge is submitted, or the token of an approved call is collected.
 *
 * @throws {OAuthError}
 * @see {@link https://datatracker.ietf.org/doc/draft-rosomakho-oauth-txn-challenge/ | draft-rosomakho-oauth-txn-challenge}
 */
export async function answerTransaction(
  request: PostedRequest,
  context: TransactionEndpointContext,
): Promise<PendingResponse | TransactionTokenResponse> {
  const { parameters } = request;
  refuseRepeated(parameters, ["transaction_challenge", "transaction_authorization_id"]);
  const challenge = parameters.get("transaction_challenge");
  const id = parameters.get("transaction_authorization_id");
  if ((challenge === undefined) === (id === undefined)) {
    const message = "Send either a transaction_challenge or a transaction_authorization_id.";
    throw new OAuthError("invalid_request", "challenge_or_id", message);
  }
  const caller = await authenticateCaller(request, { ...context, now: new Date(context.clock()) });
  await context.rateLimiter.take("token.client", nameOf(caller));
  await useUp(context.store, caller);
  const exchange = { caller, request, context };
  if (challenge !== undefined) return await submit(challenge, exchange);
  return await poll(id ?? "", exchange);
}

/** The caller that a request counts for: one device of a client, a session, or a service. */
function nameOf(caller: TransactionCaller): string {
  if (caller.kind === "service") return caller.resource.resource;
  if (caller.kind === "token") return `${caller.clientId} ${caller.grantId}`;
  return `${caller.client.id} ${caller.proof?.thumbprint ?? ""}`;
}

async function submit(text: string, exchange: Exchange): Promise<PendingResponse | TransactionTokenResponse> {
  const { caller, context, request } = exchange;
  const { store, issuer, clock } = context;
  const { issuer: identifier, jwt } = parseChallenge(text);
  const resource =
    URL.canParse(identifier) && !identifier.includes("\0")
      ? await store.resources.findByIdentifier(identifier)
      : undefined;
  if (resource?.enabled !== true || resource.builtIn) throw unknownTarget(resource);
  if (!(await context.serviceKeys.isSigned(text, resource)))
    throw new OAuthError(
      "invalid_request",
      "challenge_signature",
      "The transaction_challenge is not signed with a key of its service.",
    );
  const now = new Date(clock());
  const challenge = readChallenge(jwt, { resource, issuer, now });
  const session = await loadSession(challenge, resource, { ...context, now });
  const refuse = async (error: OAuthError) =>
    await recordRefusal(error, { session, resource, exchange, now });
  const fault = callerFault(caller, { grant: session.grant, resource });
  if (fault !== undefined) throw await refuse(fault);
  if (caller.kind === "service") {
    const missing = await serviceFault(challenge, { session, resource, context, now });
    if (missing !== undefined) throw await refuse(missing);
  }
  try {
    const { requestId } = request;
    const approval = await askForApproval(
      {
        approval: challengedApproval(challenge, { grant: session.grant, resource }, now),
        place: resource,
        requestId,
      },
      store,
    );
    return await answer(approval, resource, exchange, "submitted");
  } catch (error) {
    if (error instanceof OAuthError && error.code === "access_denied") throw await refuse(error);
    throw error;
  }
}

/** Why a service may not present a challenge by itself: it must not be able to summon people. */
async function serviceFault(
  { callDigest }: Challenge,
  {
    session: { grant },
    resource,
    context: { store },
    now,
  }: {
    readonly session: CallSession;
    readonly resource: Resource;
    readonly context: TransactionEndpointContext;
    readonly now: Date;
  },
): Promise<OAuthError | undefined> {
  const since = new Date(now.getTime() - reachSeconds * 1000);
  const { userId, id: grantId } = grant;
  if (!(await store.approvals.hasReached({ userId, grantId, resource, since }))) {
    const message = "The session has got no token or assertion for this service within the last hour.";
    return new OAuthError("invalid_grant", "not_reached", message);
  }
  const declinedSince = new Date(now.getTime() - declinedSeconds * 1000);
  const key = { grantId, placeId: resource.id, callDigest };
  const declined = await store.approvals.findDeclined(key, declinedSince);
  return declined && declinedError();
}

async function poll(id: string, exchange: Exchange): Promise<PendingResponse | TransactionTokenResponse> {
  const { caller, request, context } = exchange;
  const { store, waiting, clock } = context;
  const approval = isUuid(id) ? await store.approvals.find(id) : undefined;
  // What a rule asks about goes through this server, and there is no token for it.
  const [grant, resource] =
    approval === undefined || approval.resourceId === null || approval.detail.type === ruledCallType
      ? []
      : await Promise.all([store.grants.find(approval.grantId), store.resources.find(approval.resourceId)]);
  if (approval === undefined || grant === undefined || resource === undefined) throw unknownTransaction();
  const fault = callerFault(caller, { grant, resource });
  if (fault !== undefined) throw fault;
  if (approval.state !== "pending") return await answer(approval, resource, exchange, "polled");
  const timing = await store.approvals.poll({ id, now: new Date(clock()) });
  if (timing === "too_early")
    throw new OAuthError(
      "slow_down",
      "polled_too_early",
      "Wait five seconds longer between polls from now on.",
    );
  const seconds = readWait(request.prefer);
  if (seconds > 0) await waiting.until(id, seconds);
  const answered = seconds > 0 ? await store.approvals.find(id) : approval;
  if (answered === undefined) throw unknownTransaction();
  return await answer(answered, resource, exchange, "polled");
}

/** The seconds of `Prefer: wait` (RFC 7240 §4.3), within our limit; 0 when it asks for none. */
function readWait(prefer: readonly string[]): number {
  const preferences = prefer.join(",").split(",");
  const [first] = preferences.flatMap((preference) => /^wait=(\d{1,4})$/.exec(preference.trim())?.[1] ?? []);
  return first === undefined ? 0 : Math.min(Number(first), longestWaitSeconds);
}

/** What the state of an approval means to a caller who may know it. */
async function answer(
  approval: Approval,
  resource: Resource,
  { request, context }: Exchange,
  by: "submitted" | "polled",
): Promise<PendingResponse | TransactionTokenResponse> {
  const now = new Date(context.clock());
  const { id, state, expiresAt, intervalSeconds } = approval;
  if (isCollectable(approval, now)) {
    const { requestId } = request;
    const response = await collect(id, resource, { ...context, now, requestId });
    if (response !== undefined) return response;
    throw expired();
  }
  if (state === "declined") throw declinedError();
  if (state === "withdrawn")
    throw new OAuthError(
      "access_denied",
      "approval_withdrawn",
      "The sign-in that asked for the approval has ended.",
    );
  if (state !== "pending" || expiresAt <= now) throw expired();
  if (by === "polled")
    throw new OAuthError(
      "authorization_pending",
      "authorization_pending",
      "The person has not answered yet.",
    );
  return {
    transaction_authorization_id: id,
    authorization_uri: `${context.issuer}${paths.approve}/${id}`,
    expires_in: Math.floor((expiresAt.getTime() - now.getTime()) / 1000),
    interval: intervalSeconds,
  };
}

function declinedError(): OAuthError {
  return new OAuthError("access_denied", "approval_declined", "The person declined this call.");
}

function expired(): OAuthError {
  return new OAuthError(
    "expired_token",
    "approval_expired",
    "The approval has expired. Make the call again.",
  );
}

function unknownTransaction(): OAuthError {
  const message =
    "There is no such transaction for this client or service. Submit the transaction_challenge again.";
  return new OAuthError("invalid_grant", "unknown_transaction", message);
}

/** Records, within the limits of such records, that a known session could not ask. Returns the error. */
async function recordRefusal(
  error: OAuthError,
  {
    session: { grant },
    resource,
    exchange: { request, context },
    now,
  }: {
    readonly session: CallSession;
    readonly resource: Resource;
    readonly exchange: Exchange;
    readonly now: Date;
  },
): Promise<OAuthError> {
  const refusal = {
    type: "approval.refused",
    outcome: "denied",
    actor: { type: "client", id: grant.clientId },
    at: now,
    subject: grant.userId,
    clientId: grant.clientId,
    requestId: request.requestId,
    data: { grantId: grant.id, resource: resource.resource, error: error.code, reason: error.reason },
  } as const;
  await context.refusals.from(request.clientAddress()).record(context.store, refusal);
  return error;
}
