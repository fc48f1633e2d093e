import { addAbortSignal } from "node:stream";
import { readPeriod } from "../rules/call-rule.js";
import { type CallDecision, decideCall } from "../rules/decide-call.js";
import { maximumReadBody } from "../rules/readable-call.js";
import type { ForwardedParts } from "./exchange.js";
import type { Forwarder } from "./forwarder.js";
import type { CallFacts, RuledObject } from "./held-call.js";
import { refusals } from "./refusals.js";
import { sortHeaders } from "./request-headers.js";

/** A call that is noted, and complete but for its credential. */
interface NotedCall extends CallFacts {
  readonly request: ForwardedParts;
}

/**
 * Applies the rules of a service or a connector to a call that is noted. Without rules it does nothing; a rule with a limit costs one
 * statement.
 *
 * @throws {UseRefusal} The call is not sent.
 */
export async function applyRules(object: RuledObject, call: NotedCall, forwarder: Forwarder): Promise<void> {
  const { url, user, clientId, request, startedAt } = call;
  const { kept } = sortHeaders(request.headers, object.destination.requestHeaders);
  const body = typeof request.body === "function" ? "unread" : request.body;
  const decision = decideCall(object.rules, {
    method: request.method,
    url,
    headers: kept,
    body,
    person: user,
    app: { id: clientId },
    now: startedAt,
  });
  const outcome = await settleLimit(decision, { object, call, forwarder });
  if (outcome.type === "allow") return;
  const { rule, unclear } = decision;
  if (outcome.type === "refuse") {
    const beyond =
      decision.outcome.type === "limit" ? readPeriod(decision.outcome.per, startedAt) : undefined;
    throw refusals.byRule(object.destination, { ...outcome, rule, unclear, endsIn: beyond?.endsInSeconds });
  }
  if (body === "unread") throw refusals.unreadForApproval(object.destination, maximumReadBody, rule);
  const say = object.rules[rule]?.say;
  const held = { ...call, object, method: request.method, headers: kept, body, approver: outcome.approver };
  await forwarder.askForApproval({ ...held, rule, say, unclear });
}

type Settled = Exclude<CallDecision["outcome"], { type: "limit" }>;

/** What becomes of a call that a limit decides about: allowed while there is room, which is reserved with the note of the call. */
async function settleLimit(
  { outcome, rule }: CallDecision,
  {
    object,
    call,
    forwarder,
  }: { readonly object: RuledObject; readonly call: NotedCall; readonly forwarder: Forwarder },
): Promise<Settled> {
  if (outcome.type !== "limit") return outcome;
  const isReserved = await forwarder.store.forwardedCalls.reserve({
    id: call.id,
    owner: object.id,
    rule: object.rules[rule] ?? {},
    userId: call.user.id,
    startsAt: readPeriod(outcome.per, call.startedAt).startsAt,
    most: outcome.calls,
  });
  return isReserved ? { type: "allow" } : outcome.beyond;
}

/**
 * The request with its body in memory, if rules can look at it: they would not see a body that is passed on as it arrives. A body that
 * is too long for them, or does not say its length, stays as it is.
 */
export async function readForRules(
  request: ForwardedParts,
  { rules, destination }: Pick<RuledObject, "rules" | "destination">,
): Promise<ForwardedParts> {
  const { body, contentLength, signal } = request;
  if (rules.length === 0 || typeof body !== "function") return request;
  if (contentLength === undefined || contentLength > maximumReadBody) return request;
  const slow = AbortSignal.timeout(destination.limits.timeoutSeconds * 1000);
  const source = body({ mostBytes: contentLength, count: () => undefined });
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(AbortSignal.any([signal, slow]), source))
      chunks.push(chunk as Buffer);
  } catch (error) {
    throw slow.aborted ? refusals.slowBody() : error;
  }
  return { ...request, body: Buffer.concat(chunks), contentLength: undefined };
}
