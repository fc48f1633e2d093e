/**
 * The call that a person approves: its digest, and the transaction identifier that carries it. Shared by services, which
 * challenge, and the authorization server, which asks.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-rosomakho-oauth-txn-challenge/ | OAuth Transaction Authorization Challenge}
 * @module
 */
export { type Call, callDigest, contentDigest } from "./call-digest.js";
export {
  type AuthorizationDetail,
  type Approval,
  type GrantedDetail,
  grantDetail,
  readGrantedDetail,
} from "./granted-detail.js";
export { createTxn, isTxnOf, parseTxn, type Txn } from "./txn.js";

/** The `typ` of a transaction authorization challenge. */
export const challengeType = "txn-authz-challenge+jwt";
