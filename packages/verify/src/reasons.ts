import type { DpopErrorReason } from "@authz/dpop";
import type { JwtErrorReason } from "@authz/dpop/jwt";
import type {
  ApprovalReason,
  AuthzErrorReason,
  CredentialsReason,
  JwtReason,
  StatusReason,
  TokenRequestReason,
  UnavailableReason,
} from "./errors.js";

/** What a reason means, and what to do about it; both in full sentences, for the service's operators. */
export interface ReasonText {
  readonly cause: string;
  readonly cure: string;
}

const newToken =
  "The caller has to get a new token. The `authz` command and `@authz/client` do that by themselves.";
const notOurs =
  "Nothing here: the caller built it wrong, or something altered it on the way. Many of them from one address mean that somebody is probing.";
const fixClient = "Correct the client. The `authz` command and `@authz/client` never send this.";
const fixProof = "Correct the code that makes the proof, or let `@authz/dpop` or `@authz/client` make it.";
const compareClocks = "Keep the clocks of the caller and of this service with NTP.";
const checkIssuerTokens =
  "Check that the token comes from this service or its authorization server, and that both run released versions.";

const dpop: Readonly<Record<DpopErrorReason, ReasonText>> = {
  too_large: { cause: "The proof is larger than proofs may be.", cure: fixProof },
  not_compact: {
    cause: "The `DPoP` header is not a compact JWS: three segments joined by dots.",
    cure: fixProof,
  },
  not_base64url: {
    cause: "A segment of the proof is not canonical base64url without padding.",
    cure: fixProof,
  },
  not_utf8: { cause: "The JSON in the proof is not valid Unicode.", cure: fixProof },
  byte_order_mark: { cause: "The JSON in the proof starts with a byte order mark.", cure: fixProof },
  not_json: { cause: "A segment of the proof does not contain JSON.", cure: fixProof },
  too_deep: { cause: "The JSON in the proof is nested too deeply.", cure: fixProof },
  duplicate_member: { cause: "The JSON in the proof has the same member twice.", cure: fixProof },
  not_an_object: { cause: "A segment of the proof is JSON, but not an object.", cure: fixProof },
  unsupported_algorithm: {
    cause: "The proof is signed with an algorithm other than ES256.",
    cure: "Use an EC key on P-256 and `alg: ES256`. Nothing else is accepted.",
  },
  critical_header: {
    cause: "The proof's header has `crit` or `b64`. No extension is supported.",
    cure: fixProof,
  },
  malformed_signature: {
    cause: "The proof's signature is not 64 bytes long.",
    cure: "Some libraries sign in DER: convert the signature to r and s, 32 bytes each.",
  },
  unsupported_key: { cause: "The key in the proof's header is not an EC key on P-256.", cure: fixProof },
  invalid_key: {
    cause: "The key in the proof's header is incomplete, or not a point on the curve.",
    cure: fixProof,
  },
  private_key: {
    cause: "The proof's header contains a private key.",
    cure: "Replace the key: it has been sent over the network. Put only `kty`, `crv`, `x` and `y` into the header.",
  },
  contradicting_key_use: {
    cause: "The key in the proof's header says that it is not for signatures.",
    cure: fixProof,
  },
  wrong_type: { cause: "The proof's `typ` is not `dpop+jwt`.", cure: fixProof },
  bad_signature: {
    cause: "The proof's signature does not verify with the key in its own header.",
    cure: notOurs,
  },
  wrong_method: {
    cause: "The proof was made for another HTTP method.",
    cure: "Make a proof for each request. If a proxy changes the method, turn that off.",
  },
  wrong_url: {
    cause: "The proof was made for another address.",
    cure: "Set `publicOrigin` to the origin that callers see. If a proxy rewrites the path, pass the original one to the SDK.",
  },
  invalid_iat: { cause: "The proof's `iat` is not a whole number of seconds.", cure: fixProof },
  too_old: {
    cause: "The proof was made too long ago; `proofAgeSeconds` says how long.",
    cure: compareClocks,
  },
  from_the_future: {
    cause: "The proof was made in the future; `proofAgeSeconds` says by how much, as a negative number.",
    cure: compareClocks,
  },
  invalid_jti: {
    cause: "The proof's `jti` is missing, empty, or longer than 256 characters.",
    cure: fixProof,
  },
  missing_ath: { cause: "The proof goes with an access token and has no `ath`.", cure: fixProof },
  wrong_ath: {
    cause: "The proof was made for another access token.",
    cure: "Make the proof after choosing the token. A request that is repeated with a new token needs a new proof.",
  },
  missing_nonce: {
    cause: "This service hands out nonces, and the proof has none.",
    cure: "None: the caller repeats the request with the nonce from `DPoP-Nonce`. The first request of a client always ends so.",
  },
  wrong_nonce: {
    cause: "The proof has a nonce that is no longer current.",
    cure: "None: the caller repeats the request with the new one. If it never stops, the processes of the service do not share the nonce secret.",
  },
  replayed: {
    cause: "The proof was used before.",
    cure: "Make a proof for each request and for each retry. If a proxy repeats requests, turn that off. Otherwise somebody is replaying a copied request.",
  },
};

const jwt: Readonly<Record<JwtErrorReason, ReasonText>> = {
  malformed: { cause: "The token is not a signed JWT as this service reads them.", cure: checkIssuerTokens },
  type: {
    cause: "The token's `typ` is that of another kind, for example an ID token.",
    cure: "Send an access token of this service, and to its token endpoint an identity assertion.",
  },
  key_id: { cause: "The token's header names no usable `kid`.", cure: checkIssuerTokens },
  unknown_key: {
    cause: "No published key has the token's `kid`.",
    cure: "Right after a key was replaced, or after a restart of a service that makes a new one at each start, the caller gets a new token and goes on. Otherwise check that the token belongs to this service, and that all its processes have the same signing key.",
  },
  signature: {
    cause: "The token's signature does not verify with the key that has its `kid`.",
    cure: "If the service makes a new key at each start, or its processes have different ones, load one key from configuration, and give every key a `kid` of its own, such as `crypto.randomUUID()`. Otherwise the caller built the token, or something altered it on the way.",
  },
  issuer: {
    cause: "The token was issued by somebody else.",
    cure: "Compare the address given to `initAuthz` with the issuer of the authorization server, character by character.",
  },
  audience: {
    cause: "The token was made for another service.",
    cure: "Compare `publicOrigin`, or `resource`, with the service's resource in the console.",
  },
  subject: { cause: "The token names no usable subject.", cure: checkIssuerTokens },
  client: {
    cause: "The token was given to a client that this service does not accept.",
    cure: "Compare `clientId` with the client that the caller uses.",
  },
  resource: {
    cause: "The identity assertion was made for another resource.",
    cure: "Compare `publicOrigin`, or `resource`, with the service's resource in the console.",
  },
  id: { cause: "The token has no usable `jti`.", cure: checkIssuerTokens },
  dates: {
    cause: "The token's `iat`, `exp` or `nbf` is missing or not a number of seconds.",
    cure: checkIssuerTokens,
  },
  expired: {
    cause: "The token has expired; `tokenAgeSeconds` says how old it is.",
    cure: `${newToken} If new tokens are refused too, the clock of this service is ahead of that of \`tokenIssuer\`.`,
  },
  not_yet_valid: {
    cause:
      "The token was made more than 30 seconds in the future; `tokenAgeSeconds` says by how much, as a negative number, and `tokenIssuer` by whose clock.",
    cure: "Compare that clock with the one of this service: one of them is wrong. Keep both with NTP.",
  },
  lifetime: { cause: "The token is valid for longer than tokens may be.", cure: checkIssuerTokens },
  scope: { cause: "The token's `scope` is missing or malformed.", cure: checkIssuerTokens },
  profile: { cause: "The token's `email` or `name` is malformed.", cure: checkIssuerTokens },
  actor: { cause: "The token names the acting app in a form that is not accepted.", cure: checkIssuerTokens },
  confirmation: {
    cause: "The token is bound by something else than the thumbprint of a key.",
    cure: checkIssuerTokens,
  },
  session: { cause: "The token's `sid` is not the identifier of a session.", cure: checkIssuerTokens },
  transaction: {
    cause:
      "The token's `txn` or `authorization_details` is malformed or incomplete, or this service issued a token that has them.",
    cure: checkIssuerTokens,
  },
  status: {
    cause:
      "The token's `status` is malformed, names another list than that of the authorization server, or an entry that the list does not have.",
    cure: checkIssuerTokens,
  },
};

const credentials: Readonly<Record<CredentialsReason, ReasonText>> = {
  credentials_missing: {
    cause: "The request has no `Authorization` header with `DPoP` or `Bearer`.",
    cure: "None: this is how clients learn where to get a token. If yours sends one, look for a proxy that removes the header.",
  },
  authorization_repeated: { cause: "The request has more than one `Authorization` header.", cure: fixClient },
  authorization_malformed: {
    cause: "Nothing, or more than one word, follows the scheme in `Authorization`.",
    cure: fixClient,
  },
  token_in_query: {
    cause: "The query of the address contains `access_token`.",
    cure: "Send the token in `Authorization` only, and treat this one as leaked: addresses end up in logs.",
  },
  token_in_body: { cause: "The form contains `access_token` beside the header.", cure: fixClient },
  request_target_malformed: {
    cause: "The request's target is not an address of this service.",
    cure: notOurs,
  },
  scheme_not_accepted: {
    cause: "The token came as `Bearer`, and this service accepts only tokens with a proof.",
    cure: "Set `dpop` to `allowed` if agent hosts without keys are to call it, and *Accept Bearer tokens* in the console. Otherwise use a client that sends proofs.",
  },
  token_bound: {
    cause: "The token is bound to a key, and came as `Bearer`.",
    cure: "Send it as `DPoP` with a proof of its key. If the client does not have the key, the token was copied.",
  },
  token_not_bound: {
    cause: "The token is bound to no key, and came as `DPoP`.",
    cure: "Send it as `Bearer`.",
  },
  proof_missing: {
    cause: "The request has no `DPoP` header.",
    cure: "Send a proof. If the client does, a proxy removes the header: the caller is told both.",
  },
  proof_repeated: { cause: "The request has more than one `DPoP` header.", cure: fixClient },
  proof_key_mismatch: {
    cause: "The proof was made with a key other than the one the token is bound to.",
    cure: "Use the key with which the token was asked for. If the client has never had it, the token was copied.",
  },
  scope_missing: {
    cause: "The token does not have the scopes of this route.",
    cure: "Ask for the scope. If the person may not have it, `authz why` and **Explain** in the console say whom to ask.",
  },
};

const tokenRequest: Readonly<Record<TokenRequestReason, ReasonText>> = {
  content_type: { cause: "The body is not sent as `application/x-www-form-urlencoded`.", cure: fixClient },
  body_malformed: { cause: "The body is not a form, or not valid Unicode.", cure: fixClient },
  body_too_large: { cause: "The body is larger than 64 KiB.", cure: fixClient },
  parameter_repeated: { cause: "A parameter occurs twice.", cure: fixClient },
  grant_type_missing: { cause: "There is no `grant_type`.", cure: fixClient },
  grant_type_unknown: {
    cause: "The `grant_type` is neither of the two for identity assertions.",
    cure: "Use `urn:ietf:params:oauth:grant-type:jwt-bearer`. People sign in at the authorization server, not here.",
  },
  assertion_missing: { cause: "There is no `assertion`.", cure: fixClient },
  client_mismatch: {
    cause: "The `client_id` of the request is not the one in the assertion.",
    cure: "Redeem the assertion as the client that it was issued to.",
  },
  resource_mismatch: {
    cause: "The `resource` of the request is not this service.",
    cure: "Leave it out, or send the service's own resource.",
  },
  scope_malformed: {
    cause: "The `scope` is not a list of scopes separated by single spaces.",
    cure: fixClient,
  },
  scope_not_granted: {
    cause: "The request asks for a scope that the assertion does not have.",
    cure: "Ask the authorization server for an assertion with that scope first.",
  },
  scope_empty: {
    cause: "None of the assertion's scopes is one that this service supports.",
    cure: "Compare `supportedScopes` with the scopes of the service in the console.",
  },
  assertion_not_bound: {
    cause: "The assertion is bound to no key, and this service accepts only bound ones.",
    cure: "Ask for the assertion with a proof. The `authz` command does.",
  },
  response_type: {
    cause: "Somebody opened the service's authorization endpoint.",
    cure: "Send the client to the authorization server: nobody signs in at the service.",
  },
};

const approval: Readonly<Record<ApprovalReason, ReasonText>> = {
  approval_required: {
    cause: "The call needs a person's approval, and has none yet.",
    cure: "None: the person answers at the authorization server, and the caller makes the same call again.",
  },
  approval_denied: {
    cause:
      "The person declined the call, the app asked too often, or the person may not make the call any more.",
    cure: "The call's entry in the trail of the authorization server says which.",
  },
  approval_impossible: {
    cause:
      "The call needs a person's approval, and its token names no app or no session (`sid`): it is a machine's, or comes from an authorization server without approvals.",
    cure: "Call as a person, or return nothing from the function of `requireApproval` for machines. Update the authorization server.",
  },
  approval_used: {
    cause: "The approval was spent by another request with the same call.",
    cure: "The caller makes the call again, which asks for a new approval. Many of them mean that a client repeats what it should not.",
  },
  approval_session_ended: {
    cause: "The authorization server does not know the session of the token, or it has ended.",
    cure: "The caller has to get a new token, or sign in again.",
  },
  approval_scope_missing: {
    cause: "The person lost a permission after the caller's token was issued.",
    cure: "The caller has to get a new token, with the permissions that the person has now.",
  },
  approval_of_other_call: {
    cause:
      "The token is good for one approved call, and this is another one: the method, address, body, a header or the details differ.",
    cure: "The caller uses the token for the call that was approved, unchanged. Details must be the same in both calls: leave out times and random values.",
  },
  approval_address: {
    cause:
      "The address of a call that needs approval is longer than 2048 characters, or not in its normal form.",
    cure: fixClient,
  },
  method_override: {
    cause: "The request to a route with approvals has a header that replaces its method.",
    cure: "Send the method itself.",
  },
  json_not_strict: {
    cause:
      "The JSON of a call that needs approval has a member twice, a number that is not exact, or is not JSON.",
    cure: "Send each member once, and big numbers as strings.",
  },
};

const status: Readonly<Record<StatusReason, ReasonText>> = {
  revoked: {
    cause:
      "The sign-in, machine or assertion that the token comes from has ended: the person signed out or was disabled, an administrator ended the app, or stopped it.",
    cure: "Nothing here. The page of the person or of the app in the console says what ended and why. The caller signs in again, if the person still may.",
  },
};

const unavailable: Readonly<Record<UnavailableReason, ReasonText>> = {
  replay_store_unavailable: {
    cause: "The replay store did not answer, so it is not known whether the proof is new.",
    cure: "`failure` in the event says what went wrong. Check Redis or PostgreSQL and the network to it; with `inMemory()`, the clock. The caller gets 503 and may try again.",
  },
  issuer_unavailable: {
    cause: "The authorization server's metadata or keys cannot be fetched.",
    cure: "`failure` in the event names the address and what went wrong. Known keys go on serving for an hour.",
  },
  signing_key_unavailable: {
    cause: "The service's own signing key, or the key service behind it, does not answer.",
    cure: "`failure` in the event says which call failed, and how. Check the key service.",
  },
};

/**
 * Why requests are refused, for every `reason` of a log event: what it means and what to do. Show it next to the event, never
 * to the caller, who is told only the `code`.
 */
export const reasonTexts: Readonly<Record<AuthzErrorReason, ReasonText>> = {
  ...credentials,
  ...withPrefix("dpop", dpop),
  ...withPrefix("jwt", {
    ...jwt,
    replayed: {
      cause: "The identity assertion was redeemed before.",
      cure: "Get a new assertion for each redemption. If the client did, somebody is replaying a copied one.",
    },
  } satisfies Readonly<Record<JwtReason extends `jwt_${infer Rest}` ? Rest : never, ReasonText>>),
  ...tokenRequest,
  ...approval,
  ...status,
  ...unavailable,
};

function withPrefix<Prefix extends string, Name extends string>(
  prefix: Prefix,
  texts: Readonly<Record<Name, ReasonText>>,
): Record<`${Prefix}_${Name}`, ReasonText> {
  const entries = Object.entries<ReasonText>(texts).map(([name, text]) => [`${prefix}_${name}`, text]);
  return Object.fromEntries(entries) as Record<`${Prefix}_${Name}`, ReasonText>;
}
