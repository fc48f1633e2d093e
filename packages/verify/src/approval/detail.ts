import { type AuthorizationDetail, contentDigest } from "@authz/dpop/approval";
import { JwsError, parseStrictJson } from "@authz/dpop/jws";
import { escapeInvisible } from "@authz/skills/invisible";
import { AuthzError } from "../errors.js";

/**
 * What a person is asked to approve: one member of `authorization_details` (RFC 9396 §2), and the reason. The `type` is declared at
 * the authorization server. It must be the same when the call is made again: no times, no random values.
 */
export interface ApprovalRequest {
  readonly type: string;
  readonly actions?: readonly string[];
  readonly locations?: readonly string[];
  /** The service's words for the person: one or two sentences, up to 500 characters. Not part of the details. */
  readonly reason: string;
  /** Members that the person reads. Without any, that is the JSON body, as `content`. */
  readonly [member: string]: unknown;
}

/** The answer of a guard's function: nothing when the call needs no approval. */
export type ApprovalNeed = ApprovalRequest | undefined | null | false;

const ownMembers = ["content_digest", "approved_by", "approved_at"];
const standardMembers: ReadonlySet<string> = new Set(["type", "actions", "locations"]);

/**
 * The detail of a challenge: what the guard's function chose, and the digest of the body.
 *
 * @throws {AuthzError} `invalid_request`: the body is JSON that parsers disagree about
 * @throws {TypeError} The function chose something that cannot be in it.
 */
export function createDetail(
  need: ApprovalRequest,
  body: Uint8Array,
  contentType: readonly string[],
): AuthorizationDetail {
  const chosen = Object.fromEntries(Object.entries(need).filter(([name]) => name !== "reason"));
  if (typeof need.type !== "string" || need.type === "")
    throw new TypeError(
      'requireApproval: the function must return a type, such as { type: "contract_deletion", reason: "…" }, or undefined.',
    );
  const own = ownMembers.find((name) => name in need);
  if (own !== undefined) throw new TypeError(`requireApproval: ${own} is not for the function to choose.`);
  const content = body.length > 0 && isJson(contentType) ? { value: parseBody(body) } : undefined;
  // As it will be in the token: dates as text, and no undefined members.
  const detail = JSON.parse(JSON.stringify(chosen)) as AuthorizationDetail;
  const isChosen = Object.keys(detail).some((name) => !standardMembers.has(name));
  return {
    ...detail,
    ...(!isChosen && content !== undefined && { content: content.value }),
    content_digest: contentDigest(body),
  };
}

const longestReason = 500;

/** @throws {TypeError} There is no reason. */
export function readReason({ reason }: ApprovalRequest): string {
  const text = typeof reason === "string" ? escapeInvisible(reason).trim() : "";
  if (text === "")
    throw new TypeError("requireApproval: the function must return a reason, one sentence for the person.");
  return Array.from(text).slice(0, longestReason).join("");
}

const jsonType = /^[ \t]*application\/(?:[A-Za-z0-9.!#$&^_-]+\+)?json[ \t]*(?:;|$)/i;

function isJson(contentType: readonly string[]): boolean {
  return contentType.some((line) => jsonType.test(line));
}

function parseBody(body: Uint8Array): unknown {
  try {
    const value = parseStrictJson(body);
    if (hasExactNumbers(value)) return value;
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
  }
  throw new AuthzError("invalid_request", "json_not_strict");
}

/** Beyond 2^53, parsers disagree about integers. */
function hasExactNumbers(value: unknown): boolean {
  if (typeof value === "number")
    return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(hasExactNumbers);
}
