import { isIdentifier, isNumericDate } from "../jwt/claims.js";

/** One member of `authorization_details` (RFC 9396 §2). */
export interface AuthorizationDetail {
  readonly type: string;
  readonly actions?: readonly string[];
  readonly locations?: readonly string[];
  readonly [member: string]: unknown;
}

/** The person's answer to one call. */
export interface Approval {
  /** The subject identifier of the approver. */
  readonly approvedBy: string;
  /** In seconds since 1970. */
  readonly approvedAt: number;
}

/** The detail as challenged, and the answer that the authorization server added to it. */
export interface GrantedDetail extends Approval {
  readonly detail: AuthorizationDetail;
}

/** Whether a detail has a member that only the authorization server adds. */
export function hasReservedMember(detail: AuthorizationDetail): boolean {
  return Object.hasOwn(detail, "approved_by") || Object.hasOwn(detail, "approved_at");
}

/**
 * The detail that a token carries: as challenged, enriched with the approver and the time.
 *
 * @throws {TypeError} The challenged detail has one of these members already.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9396#section-7.1 | RFC 9396 §7.1}
 */
export function grantDetail(
  detail: AuthorizationDetail,
  { approvedBy, approvedAt }: Approval,
): AuthorizationDetail {
  if (hasReservedMember(detail)) throw new TypeError("grantDetail: the detail is granted already");
  return { ...detail, approved_by: approvedBy, approved_at: approvedAt };
}

/**
 * Separates a granted detail from the answer in it, so that the detail can be compared with the challenged one. Undefined if the
 * answer is missing or malformed.
 */
export function readGrantedDetail(granted: AuthorizationDetail): GrantedDetail | undefined {
  const { approved_by: approvedBy, approved_at: approvedAt, ...detail } = granted;
  if (!isIdentifier(approvedBy) || !isNumericDate(approvedAt)) return undefined;
  return { detail, approvedBy, approvedAt };
}
