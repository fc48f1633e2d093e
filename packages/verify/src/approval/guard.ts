import { randomUUID } from "node:crypto";
import type { Clock, ReplayStore } from "@authz/dpop";
import { type AuthorizationDetail, challengeType, createTxn } from "@authz/dpop/approval";
import type { VerifiedToken } from "../access-token/cache.js";
import type { TokenVerifier } from "../access-token/verify.js";
import type { Admission, Auth, Decision, Transaction } from "../decision.js";
import { AuthzError, toAuthzError } from "../errors.js";
import type { StatusList } from "../issuer/status-list.js";
import type { SigningKeys } from "../keys/signing-keys.js";
import { requireKnownMembers } from "../known-members.js";
import { type AuthzLog, logRefusal } from "../log.js";
import type { AuthzRequest } from "../messages.js";
import { formatRefusal, type RefusalOptions } from "../refusal.js";
import { spendJwt } from "../replay.js";
import { answerWithChallenge, answerWithPage, takesChallenges } from "./answers.js";
import {
  addressOf,
  type Asker,
  askerOf,
  type BoundHeaders,
  type CalledService,
  digestOf,
  isForCall,
} from "./call.js";
import { type ApprovalNeed, type ApprovalRequest, createDetail, readReason } from "./detail.js";
import type { Presenter } from "./present.js";
import type { TransactionClaims } from "../access-token/transaction.js";

/** The options of one guard. */
export interface ApprovalOptions {
  /** Headers that decide what the call does, beside `Idempotency-Key`: approval is for their values. */
  readonly headers?: readonly string[];
}

/** A request behind `requireAuth()`, and what the application knows about it. */
export interface GuardedCall {
  readonly request: AuthzRequest;
  /** As `decide` returned it. */
  readonly auth: Auth;
  /** What the person has to approve; nothing when the call needs no approval. */
  readonly need: ApprovalNeed;
  /** The bytes of the body as received. Called only when approval is needed. */
  readonly body: () => Uint8Array | Promise<Uint8Array>;
}

/** Decides on calls that may need a person's approval. Without a promise for calls that need none. */
export type ApprovalGuard = (call: GuardedCall) => Decision | Promise<Decision>;

/** The dependencies of guards. */
export interface ApprovalGuardsOptions extends CalledService {
  readonly issuer: string;
  /** Undefined where the issuer cannot be reached. */
  readonly present: Presenter | undefined;
  readonly boundHeaders: BoundHeaders;
  readonly tokenVerifier: TokenVerifier;
  readonly statusList: StatusList;
  readonly signingKeys: Pick<SigningKeys, "sign">;
  readonly replayStore: ReplayStore;
  readonly refusals: RefusalOptions;
  readonly clock: Clock;
  readonly log: AuthzLog;
}

const overrideHeaders = ["x-http-method-override", "x-http-method", "x-method-override"];
const challengeSeconds = 300;
const challengeMaximumBytes = 4096;
const noHeaders: Admission["headers"] = Object.freeze({});

/** Creates the guards of one service. */
export function createApprovalGuards(
  options: ApprovalGuardsOptions,
): (guardOptions?: ApprovalOptions) => ApprovalGuard {
  return (guardOptions = {}) => {
    const headers = checkHeaders(guardOptions);
    options.boundHeaders.add(headers);
    return (call) => {
      try {
        const token = tokenOf(call, options);
        checkMethod(call.request);
        const { need } = call;
        if (need) return approve({ ...call, token, need, headers }, options);
        // The person approved a call that needed it; this one is another.
        if (token.transaction !== undefined) throw new AuthzError("invalid_token", "approval_of_other_call");
        return { auth: call.auth, headers: noHeaders };
      } catch (error) {
        return refuse(error, options);
      }
    };
  };
}

/** @throws {TypeError} */
function checkHeaders(options: ApprovalOptions): readonly string[] {
  requireKnownMembers("The second argument of requireApproval", options, ["headers"]);
  const names: readonly unknown[] = options.headers ?? [];
  const isName = (name: unknown): name is string =>
    typeof name === "string" && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
  if (!Array.isArray(names) || !names.every(isName))
    throw new TypeError('requireApproval: headers must be names of headers, such as ["If-Match"].');
  return [...new Set(names.map((name) => name.toLowerCase()))].sort();
}

function tokenOf({ auth }: GuardedCall, { tokenVerifier }: ApprovalGuardsOptions): VerifiedToken {
  const token = tokenVerifier.tokenOf(auth);
  if (token !== undefined) return token;
  throw new Error(
    "requireApproval: nobody is verified. Put requireAuth() of the same service in front, and only one requireApproval() behind it.",
  );
}

/** @throws {AuthzError} A header asks a framework for another method than the one that is approved. */
function checkMethod({ header }: AuthzRequest): void {
  if (header !== undefined && overrideHeaders.some((name) => header(name).length > 0))
    throw new AuthzError("invalid_request", "method_override");
}

interface ApprovableCall extends Omit<GuardedCall, "need"> {
  readonly need: ApprovalRequest;
  readonly token: VerifiedToken;
  readonly headers: readonly string[];
}

async function approve(call: ApprovableCall, options: ApprovalGuardsOptions): Promise<Decision> {
  try {
    const { request, token, need, headers } = call;
    const asker = askerOf(token);
    if (asker === undefined) throw new AuthzError("access_denied", "approval_impossible");
    const detail = createDetail(need, await call.body(), request.contentType ?? []);
    const digest = digestOf({ request, asker, headers, detail }, options);
    if (token.transaction !== undefined) {
      if (!isForCall(token, digest, detail)) throw new AuthzError("invalid_token", "approval_of_other_call");
      return await spend(token.transaction, token, call, options);
    }
    return await ask(call, { asker, detail, digest }, options);
  } catch (error) {
    return refuse(error, options);
  }
}

/** Accepts an approval once. Last, so that a refused request leaves it usable. */
async function spend(
  { txn, granted }: TransactionClaims,
  { auth: { expiresAt } }: VerifiedToken,
  { auth, token }: ApprovableCall,
  { issuer, resource, replayStore }: ApprovalGuardsOptions,
): Promise<Admission> {
  const isFirst = await spendJwt(
    { kind: "transaction", parts: [issuer, resource, txn], expiresAt },
    replayStore,
  );
  if (!isFirst)
    throw new AuthzError(
      token.transaction === undefined ? "access_denied" : "invalid_token",
      "approval_used",
    );
  const { detail: details, approvedAt, approvedBy } = granted;
  const transaction: Transaction = Object.freeze({ id: txn, details, approvedBy, approvedAt });
  return { auth: Object.freeze({ ...auth, transaction }), headers: noHeaders };
}

interface Question {
  readonly asker: Asker;
  readonly detail: AuthorizationDetail;
  readonly digest: string;
}

/** Sends the challenge to the client, or presents it for a client that knows none. */
async function ask(
  call: ApprovableCall,
  question: Question,
  options: ApprovalGuardsOptions,
): Promise<Decision> {
  const { refusals, present } = options;
  const challenge = await signChallenge(call, question, options);
  const isForClient = takesChallenges(call.request);
  if (isForClient || present === undefined) {
    const error = new AuthzError("transaction_authorization_required", "approval_required");
    logRefusal(error, options.log);
    const refusal = isForClient
      ? answerWithChallenge(challenge, call.token, refusals)
      : formatRefusal(error, "protected", refusals);
    return { refusal };
  }
  const presented = await present(challenge);
  if (presented.kind === "approved") return await passWith(presented.token, call, question, options);
  if (presented.kind === "denied") throw new AuthzError("access_denied", "approval_denied");
  if (presented.kind === "session_ended") throw new AuthzError("invalid_token", "approval_session_ended");
  logRefusal(new AuthzError("transaction_authorization_required", "approval_required"), options.log);
  return { refusal: answerWithPage(presented, refusals) };
}

/** Checks the token that this service collected. */
async function passWith(
  collected: string,
  call: ApprovableCall,
  { asker, detail, digest }: Question,
  options: ApprovalGuardsOptions,
): Promise<Decision> {
  const { tokenVerifier, statusList } = options;
  const { verified } = await tokenVerifier.verify(collected);
  if (verified.statusIndex !== undefined) await statusList.renew();
  statusList.check(verified.statusIndex, "invalid_token");
  const { transaction } = verified;
  // The session is what an approval is bound to, and the request has proved it with a token and key of its own: behind an address
  // for agents, that key belongs to the authorization server.
  const isOfAsker = JSON.stringify(askerOf(verified)) === JSON.stringify(asker);
  if (transaction === undefined || !isOfAsker || !isForCall(verified, digest, detail))
    throw new AuthzError("invalid_token", "approval_of_other_call");
  if (call.auth.scopes.some((scope) => !verified.scopes.has(scope)))
    throw new AuthzError("invalid_token", "approval_scope_missing");
  return await spend(transaction, verified, call, options);
}

async function signChallenge(
  { need, request }: ApprovableCall,
  { asker, detail, digest }: Question,
  options: ApprovalGuardsOptions,
): Promise<string> {
  const { issuer, resource, signingKeys, clock } = options;
  const issuedAt = Math.floor(clock() / 1000);
  const challenge = await signingKeys.sign(challengeType, {
    iss: resource,
    aud: issuer,
    iat: issuedAt,
    exp: issuedAt + challengeSeconds,
    jti: randomUUID(),
    txn: createTxn(digest),
    sub: asker.subject,
    sid: asker.sessionId,
    act: { sub: asker.actor },
    authorization_details: [detail],
    reason: readReason(need),
    htm: request.method,
    htu: addressOf(request, options),
  });
  if (challenge.length <= challengeMaximumBytes) return challenge;
  throw new Error(
    `requireApproval: the challenge for "${detail.type}" has ${challenge.length} bytes, and ${challengeMaximumBytes} are possible. Return fewer or shorter members; the digest covers the whole body.`,
  );
}

/** Rethrows errors that are not refusals. */
function refuse(cause: unknown, { refusals, log }: ApprovalGuardsOptions): Decision {
  const error = toAuthzError(cause);
  if (!(error instanceof AuthzError)) throw error;
  logRefusal(error, log);
  return { refusal: formatRefusal(error, "protected", refusals) };
}
