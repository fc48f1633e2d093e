import {
  type AuthorizationDetail,
  type GrantedDetail,
  parseTxn,
  readGrantedDetail,
} from "@authz/dpop/approval";
import { isJsonObject, type JsonObject } from "@authz/dpop/jws";
import { JwtError } from "@authz/dpop/jwt";

/** The claims of an access token that is for one approved call. */
export interface TransactionClaims {
  readonly txn: string;
  readonly granted: GrantedDetail;
}

/**
 * Reads the transaction of an access token; undefined when it is an ordinary one.
 *
 * @throws {JwtError} `transaction`: a part is missing or malformed, or there are several details.
 */
export function readTransaction({
  txn,
  authorization_details: details,
}: JsonObject): TransactionClaims | undefined {
  if (txn === undefined && details === undefined) return undefined;
  const [detail, ...others] = Array.isArray(details) ? (details as readonly unknown[]) : [];
  const granted = isDetail(detail) && others.length === 0 ? readGrantedDetail(detail) : undefined;
  if (typeof txn !== "string" || parseTxn(txn) === undefined || granted === undefined)
    throw new JwtError("transaction");
  return { txn, granted };
}

function isDetail(value: unknown): value is AuthorizationDetail {
  return isJsonObject(value) && typeof value["type"] === "string";
}
