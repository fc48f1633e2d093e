import { type AuthorizationDetail, callDigest, contentDigest } from "@authz/dpop/approval";
import type { Clock } from "@authz/dpop";
import type { AuditReason } from "../audit/events.js";
import { toAuditRow } from "../audit/record.js";
import type { AskForApproval, HeldCall } from "../forwarding/held-call.js";
import { refusals } from "../forwarding/refusals.js";
import { usualHeaders } from "../forwarding/request-headers.js";
import { auditedCall } from "../lifecycle/approval-events.js";
import type { GroupDirectories } from "../permissions/groups/directories.js";
import { OAuthError } from "../protocol/oauth-error.js";
import { paths } from "../protocol/vocabulary.js";
import { readCall } from "../rules/readable-call.js";
import { type Approval, type NewApproval, ruledCallType } from "../store/approvals.js";
import type { Store } from "../store/store.js";
import { askForApproval, callKey, newApproval } from "./ask.js";
import { requireApprover } from "./collect.js";

export interface HeldCallContext {
  readonly store: Store;
  readonly directories: GroupDirectories;
  readonly config: { readonly issuer: string };
  readonly clock: Clock;
}

/** How long an equal call is refused after it was declined. */
const declinedSeconds = 600;
/** An equal call at the same moment may use up what was approved; this one then asks anew. */
const attempts = 3;
/** Of a body, in the detail that the person reads. */
const mostContentBytes = 16 * 1024;
/** Headers that differ between two tries of the same call, and say nothing about what it does. */
const unboundHeaders: ReadonlySet<string> = new Set(["user-agent"]);

/**
 * Asks a person about calls through this server for which a rule demands that. The server is both sides of the challenge, so there is
 * neither a challenge nor a token: an approved call is used up by the one statement that precedes its sending.
 */
export function createHeldCallApproval(context: HeldCallContext): AskForApproval {
  return async (call) => {
    try {
      await requireApproval(call, context);
    } catch (error) {
      if (!(error instanceof OAuthError) || error.code === "temporarily_unavailable") throw error;
      throw refusals.approvalImpossible(error.reason as AuditReason, error.message, call.rule);
    }
  };
}

async function requireApproval(call: HeldCall, context: HeldCallContext): Promise<void> {
  const { store, directories, clock } = context;
  const now = new Date(clock());
  const wanted = wantedApproval(call, now, context);
  const since = new Date(now.getTime() - declinedSeconds * 1000);
  if ((await store.approvals.findDeclined(callKey(wanted), since)) !== undefined)
    throw refusals.approvalDeclined(call.object.destination, call.rule);
  const place = call.object;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const approval = await askForApproval({ approval: wanted, place, requestId: call.requestId }, store);
    if (approval.state !== "approved") throw pending(approval, call, now, context);
    await requireApprover(approval, { store, directories, now });
    const event = toAuditRow({
      type: "approval.used",
      outcome: "success",
      actor: { type: "user", id: call.user.id },
      at: now,
      subject: call.user.id,
      clientId: call.clientId,
      requestId: call.requestId,
      data: { ...auditedCall(approval, place), grantId: call.grantId },
    });
    if (await store.approvals.use(approval.id, now, event)) return;
  }
  throw refusals.approvalRequired(call.object.destination, call);
}

function pending(
  { id, expiresAt }: Approval,
  { object, approver, rule }: HeldCall,
  now: Date,
  { config: { issuer } }: HeldCallContext,
) {
  const expiresInSeconds = Math.max(Math.floor((expiresAt.getTime() - now.getTime()) / 1000), 1);
  const link = { uri: `${issuer}${paths.approve}/${id}`, expiresInSeconds };
  return refusals.approvalPending(object.destination, {
    by: approver === "self" ? "self" : "group",
    link,
    rule,
  });
}

/** What is asked about a call. Everything that the other side gets is in its digest, and so is who answers. */
function wantedApproval(call: HeldCall, now: Date, { config: { issuer } }: HeldCallContext): NewApproval {
  const { object, user, clientId, grantId, method, url, approver, say = "" } = call;
  const detail = detailOf(call);
  const group = approver === "self" ? null : { provider: approver.provider, key: approver.group };
  return newApproval(
    {
      resourceId: object.type === "resource" ? object.id : null,
      connectorId: object.type === "connector" ? object.id : null,
      userId: user.id,
      clientId,
      grantId,
      callDigest: callDigest({
        issuer,
        subject: user.id,
        actor: clientId,
        sessionId: grantId,
        method,
        url: url.href,
        headers: headersOf(call),
        authorizationDetail: { ...detail, place: object.id, approver: group, say },
      }),
      method,
      url: url.href,
      detail,
      reason: say,
      approver: group,
      maxAgeSeconds: null,
    },
    now,
  );
}

/** What a person reads of a call beside its method and address. JSON that parsers may read differently is shown as it is. */
function detailOf(call: HeldCall): AuthorizationDetail {
  const { body = Buffer.alloc(0) } = call;
  // A header that an administrator declared may be a key of the caller: it is bound, and only its digest is kept.
  const bound = Object.entries(headersOf(call)).map(([name, value]) => [
    name,
    usualHeaders.includes(name) ? value : contentDigest(Buffer.from(value)),
  ]);
  return {
    type: ruledCallType,
    content_digest: contentDigest(body),
    ...(bound.length > 0 && { headers: Object.fromEntries(bound) }),
    ...(body.length > 0 && { content_length: body.length, ...contentOf(call, body) }),
  };
}

function contentOf(call: HeldCall, body: Buffer): { readonly content?: unknown } {
  if (body.length > mostContentBytes) return {};
  const read = readCall({ ...call, person: call.user, app: { id: call.clientId }, now: call.startedAt }).body;
  if ("value" in read && !body.includes("\\u0000")) return { content: read.value };
  const text = body.toString("utf8");
  return Buffer.from(text).equals(body) && !text.includes("\0") ? { content: text } : {};
}

function headersOf({ headers }: HeldCall): Readonly<Record<string, string>> {
  const bound = new Map<string, string>();
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    const before = bound.get(name);
    if (!unboundHeaders.has(name)) bound.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(bound);
}
