import { type AuthorizationDetail, callDigest, isTxnOf } from "@authz/dpop/approval";
import { canonicalJson } from "@authz/dpop/jws";
import type { VerifiedToken } from "../access-token/cache.js";
import { AuthzError } from "../errors.js";
import type { AuthzRequest } from "../messages.js";
import { readPath } from "../request/target.js";

/** The person, app and session of a token that a person can approve calls of. */
export interface Asker {
  readonly subject: string;
  readonly actor: string;
  readonly sessionId: string;
}

/** The service, as calls name it. */
export interface CalledService {
  readonly resource: string;
  readonly publicOrigin: string;
}

/** Every approval is for one value of this header, because it decides whether a service repeats an action. */
const alwaysBound = "idempotency-key";

/** The asker of a token; undefined for a machine, and for a token that names no app or no session. */
export function askerOf({ auth, sessionId }: VerifiedToken): Asker | undefined {
  const { identity, actor } = auth;
  if (identity.type !== "user" || actor === undefined || sessionId === undefined) return undefined;
  return { subject: identity.subject, actor: actor.subject, sessionId };
}

const printableAddress = /^[\x21-\x7e]{1,2048}$/;

/**
 * The address of a request with its query as received, as challenges name it.
 *
 * @throws {AuthzError} `invalid_request`: a parser would see another path in it, or it is too long.
 */
export function addressOf({ url: target }: AuthzRequest, { publicOrigin }: CalledService): string {
  const [beforeFragment = ""] = target.split("#", 1);
  const query = beforeFragment.indexOf("?");
  const address = publicOrigin + readPath(target) + (query === -1 ? "" : beforeFragment.slice(query));
  const isExact =
    printableAddress.test(address) &&
    URL.canParse(address) &&
    beforeQuery(new URL(address).href) === beforeQuery(address);
  if (!isExact) throw new AuthzError("invalid_request", "approval_address");
  return address;
}

function beforeQuery(address: string): string {
  return address.split("?", 1)[0] ?? "";
}

/** One call of an asker, before its digest. */
export interface DescribedCall {
  readonly request: AuthzRequest;
  readonly asker: Asker;
  /** Names in lower case. */
  readonly headers: readonly string[];
  readonly detail: AuthorizationDetail;
}

/** The digest of a call. @throws {AuthzError} `invalid_request`, as `addressOf` */
export function digestOf({ request, asker, headers, detail }: DescribedCall, service: CalledService): string {
  return callDigest({
    issuer: service.resource,
    ...asker,
    method: request.method,
    url: addressOf(request, service),
    headers: Object.fromEntries([alwaysBound, ...headers].map((name) => [name, valueOf(name, request)])),
    authorizationDetail: detail,
  });
}

/** Repeated lines are joined as Fetch joins them. */
function valueOf(name: string, { header }: AuthzRequest): string | undefined {
  if (header === undefined)
    throw new TypeError("The request has no header(): requests with approvals need one. See AuthzRequest.");
  const lines = header(name);
  return lines.length === 0 ? undefined : lines.join(", ");
}

/** Whether a token is for exactly this call and these details. */
export function isForCall(
  { transaction }: VerifiedToken,
  digest: string,
  detail: AuthorizationDetail,
): boolean {
  return (
    transaction !== undefined &&
    isTxnOf(transaction.txn, digest) &&
    canonicalJson(transaction.granted.detail) === canonicalJson(detail)
  );
}

/** The lists of headers that the guards of a service bind, so that tokens are checked before the guard. */
export interface BoundHeaders {
  add(names: readonly string[]): void;
  /**
   * Refuses a token for one call on every other: another method or address, another value of a bound header. A call without a guard has
   * no such token, because only guards challenge. Body and details are left to the guard.
   *
   * @throws {AuthzError} `invalid_token`
   */
  readonly check: (request: AuthzRequest, token: VerifiedToken) => void;
}

/** Creates the lists of one service. Without a guard, no token for one call is accepted. */
export function createBoundHeaders(service: CalledService): BoundHeaders {
  const lists = new Map<string, readonly string[]>();
  return {
    add: (names) => void lists.set(names.join(","), names),
    check(request, token) {
      const { transaction } = token;
      if (transaction === undefined) return;
      const asker = askerOf(token);
      const { detail } = transaction.granted;
      const isOwn =
        asker !== undefined &&
        request.header !== undefined &&
        [...lists.values()].some((headers) =>
          isTxnOf(transaction.txn, digestOf({ request, asker, headers, detail }, service)),
        );
      if (!isOwn) throw new AuthzError("invalid_token", "approval_of_other_call");
    },
  };
}
