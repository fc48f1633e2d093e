/** What a reason that only the log knows means, and what to do about it. */
export interface LoggedReason {
  readonly cause: string;
  readonly cure: string;
}

const correctClient = "Correct the client, or use one that follows the standard.";
const askAgain = "The client asks again; most do that by themselves.";
const correctRegistration = "Correct the registration request, or register the client in the console.";
const newToken = "The caller gets a new token.";

/** The reasons of refusals at the OAuth endpoints that reach no audit event, because nobody is known yet or nothing was at stake. */
export const loggedReasons: Readonly<Record<string, LoggedReason>> = {
  approval_expired: {
    cause: "Nobody answered in time, or the token was not collected in time.",
    cure: "Make the call again.",
  },
  approval_withdrawn: {
    cause: "The sign-in that asked ended before the answer.",
    cure: "The person signs in again.",
  },
  approver_gone: {
    cause: "The approver left the group, or was disabled, after the answer.",
    cure: "Make the call again, so that somebody else answers.",
  },
  authorization_pending: { cause: "The person has not answered yet.", cure: "The client polls again." },
  challenge_or_id: {
    cause: "Neither a challenge nor an identifier was sent, or both.",
    cure: "Send one of them.",
  },
  challenge_signature: {
    cause: "The challenge is not signed with a key of its service.",
    cure: "The service publishes its key set as `txn_challenge_jwks_uri` in its metadata, on its own origin.",
  },
  challenge_txn: {
    cause: "The `txn` has another form, or was used for another call.",
    cure: "The service makes a new `txn` with the digest of each call.",
  },
  granted_details: {
    cause: "The challenge says who approved.",
    cure: "The service leaves `approved_by` and `approved_at` out.",
  },
  malformed_details: {
    cause: "The challenge has not exactly one authorization detail, or one that is no plain JSON object.",
    cure: "Correct the service.",
  },
  service_keys_unavailable: {
    cause: "The metadata or the keys of the service cannot be fetched.",
    cure: "See that the service answers, and that its metadata names `txn_challenge_jwks_uri` on its own origin.",
  },
  unknown_transaction: {
    cause: "The identifier is unknown here, or was given to another client.",
    cure: "Submit the challenge again.",
  },
  unknown_type: {
    cause: "The service is not registered with this type of `authorization_details`.",
    cure: "Declare it; see [approvals](../operate/approvals.md).",
  },
  actor_token: {
    cause: "A token exchange with an `actor_token`.",
    cure: "Leave it out: delegation is not supported.",
  },
  bearer_scheme: { cause: "A machine sent its token as `Bearer`.", cure: "Send it as `DPoP` with a proof." },
  client_assertion_type: {
    cause: "A `client_assertion` without its `client_assertion_type`, or the other way around.",
    cure: "Send both.",
  },
  client_authentication: {
    cause: "The client sent a secret, or an `Authorization` header.",
    cure: "Public clients send their `client_id` alone, all others `private_key_jwt`.",
  },
  client_disabled: {
    cause: "The machine client is disabled.",
    cure: "Enable it in the console if it should work.",
  },
  client_grant_type: {
    cause: "The client may not use this grant type.",
    cure: "Machines use `client_credentials` alone. The metadata document or registration of an app has to list it in `grant_types`.",
  },
  code_challenge: { cause: "The `code_challenge` is not a SHA-256 hash in base64url.", cure: correctClient },
  code_challenge_method: {
    cause: "PKCE with another method than S256, or without one.",
    cure: correctClient,
  },
  consent_refused: {
    cause: "The person said no on the consent page.",
    cure: "Nothing: that was someone's decision.",
  },
  content_type: { cause: "A registration that is not JSON.", cure: correctRegistration },
  dpop_jkt: { cause: "The `dpop_jkt` is not a thumbprint.", cure: correctClient },
  dpop_jkt_mismatch: {
    cause: "The `dpop_jkt` names a different key than the proof that came with it.",
    cure: correctClient,
  },
  grant_ended: { cause: "The sign-in that the token came from has ended.", cure: newToken },
  grant_type: { cause: "A grant type that this server does not have.", cure: correctClient },
  invalid_encoding: { cause: "Parameters that are not percent-encoded UTF-8.", cure: correctClient },
  key_mismatch: {
    cause: "The proof was made with a key other than the one the token is bound to.",
    cure: "Use the key with which the token was asked for.",
  },
  malformed_authorization: {
    cause: "An `Authorization` header that is not `DPoP` and one token.",
    cure: correctClient,
  },
  malformed_body: { cause: "A body that is not the JSON object that is described.", cure: correctClient },
  malformed_resource: {
    cause: "The `resource` is not an absolute URL, or has a query or fragment.",
    cure: correctClient,
  },
  max_age: { cause: "The `max_age` is not a whole number of seconds.", cure: correctClient },
  missing_claim: {
    cause: "A token of this server lacks a claim, because an older version made it.",
    cure: newToken,
  },
  missing_parameter: { cause: "A parameter is missing; the description names it.", cure: correctClient },
  no_answer_yet: {
    cause: "Nobody has answered on the device page yet.",
    cure: "None: the client goes on asking.",
  },
  no_credentials: {
    cause: "No access token at a route that needs one.",
    cure: "None: this is how clients learn it.",
  },
  no_grant: {
    cause:
      "A revocation of an access token of a machine, or for a provider's assertion: no sign-in can be ended with it.",
    cure: "Wait: it ends within five minutes. Disabling the machine or the person keeps it from getting the next one.",
  },
  no_session: {
    cause: "`prompt=none`, and nobody is signed in on this browser.",
    cure: "The client opens the browser without `prompt=none`.",
  },
  no_user_code: {
    cause: "No free code for a device: too many people sign in with one at once.",
    cure: askAgain,
  },
  nul_character: { cause: "A parameter contains NUL.", cure: correctClient },
  openid_missing: {
    cause: "The token has no `openid`, which userinfo needs.",
    cure: "The client asks for `openid`.",
  },
  other_resource: {
    cause: "The `resource` is not the one that the person allowed.",
    cure: "Leave it out, or sign in again.",
  },
  polled_too_early: {
    cause: "The client asks more often than it was told.",
    cure: "Wait five seconds longer each time (RFC 8628 §3.5).",
  },
  prompt: { cause: "An unknown `prompt`.", cure: correctClient },
  provider_auth_time_missing: {
    cause:
      "The client demands a fresh sign-in, and the provider does not say when it asked for the password.",
    cure: "Have the provider send `auth_time`, or have the client do without `max_age`.",
  },
  provider_kept_session: {
    cause: "The client demands a fresh sign-in, and the provider let the person in without one.",
    cure: "Have the provider obey `prompt=login` and `max_age`.",
  },
  presence_unanswered: {
    cause:
      "The provider did not answer within three seconds whether the person is still there, and the time of grace is over.",
    cure: "The app asks again by itself. If it stays, look at the provider and test the sign-in in the console.",
  },
  provider_keys_unavailable: {
    cause: "The keys of the provider that signed an assertion cannot be fetched.",
    cure: "Check the network from the server to the provider.",
  },
  public_client_assertion: {
    cause: "A public client sent a `client_assertion`.",
    cure: "It sends its `client_id` alone.",
  },
  registration: { cause: "The parameter `registration` of OpenID Connect.", cure: "Leave it out." },
  registration_flow: {
    cause: "A client registers itself for something other than the authorization code flow.",
    cure: correctRegistration,
  },
  registration_malformed: {
    cause: "A registration that is not a JSON object, or names a member twice.",
    cure: correctRegistration,
  },
  registration_method: {
    cause: "A client registers itself with a secret or a key.",
    cure: "Use `none`, or register it in the console.",
  },
  registration_name: {
    cause: "A client registers itself with a name that cannot be shown.",
    cure: correctRegistration,
  },
  registration_redirect: {
    cause: "A client registers itself with a redirect that is neither loopback nor on an allowed host.",
    cure: "If you mean it, allow the host under **App hosts**.",
  },
  repeated_parameter: { cause: "A parameter occurs twice; the description names it.", cure: correctClient },
  request_object: {
    cause: "A request object (RFC 9101).",
    cure: "Send parameters, or push them (RFC 9126).",
  },
  request_uri: {
    cause: "The pushed request is unknown, used, or too old.",
    cure: "The client starts again.",
  },
  requested_token_type: {
    cause: "A token exchange for something other than an identity assertion.",
    cure: correctClient,
  },
  resource_missing: {
    cause: "The client does not say for which service the token is.",
    cure: "Send `resource` (RFC 8707). An app that signs people in to itself: register it in the console.",
  },
  response_mode: { cause: "Another `response_mode` than `query`.", cure: correctClient },
  response_type: { cause: "Another `response_type` than `code`.", cure: correctClient },
  scope_beyond_ceiling: {
    cause: "The client is limited to certain scopes, and this is not one of them.",
    cure: "Raise the ceiling of the client in the console if it should have it.",
  },
  scope_not_held: {
    cause: "The person had the permission when signing in, and has it no longer.",
    cure: "Give it back if they should have it.",
  },
  scope_not_offered: {
    cause: "A scope of a third party that the connector does not offer.",
    cure: "Add it to the connector.",
  },
  session_too_old: {
    cause: "The sign-in is older than the client's `max_age`.",
    cure: "The person signs in again.",
  },
  several_authentications: { cause: "The client says in two ways who it is.", cure: "Send one." },
  several_credentials: {
    cause: "The request has more than one access token.",
    cure: "Send one, in `Authorization`.",
  },
  several_proofs: { cause: "The request has more than one `DPoP` header.", cure: "Send one." },
  several_resources: {
    cause: "A token request names more than one `resource`.",
    cure: "A token is for one service: ask once for each.",
  },
  subject_token_type: {
    cause: "A token exchange with a type of subject token that is not known.",
    cure: correctClient,
  },
  token_in_body: { cause: "The access token came in the body.", cure: "Send it in `Authorization`." },
  too_large: { cause: "The body is larger than bodies may be.", cure: correctClient },
  too_long: {
    cause: "The address is longer than the server reads.",
    cure: "Push the parameters first (RFC 9126).",
  },
  unknown_client: {
    cause: "No client has this `client_id`.",
    cure: "Register it, or correct the `client_id`.",
  },
  unknown_code: {
    cause: "Nobody was given this code.",
    cure: "The client starts again. Many of them mean that somebody is guessing.",
  },
  unknown_device_code: { cause: "Nobody was given this device code.", cure: "The client starts again." },
  unknown_refresh_token: {
    cause: "Nobody was given this refresh token, or it was removed long ago.",
    cure: "The person signs in again.",
  },
  unregistered_redirect_uri: {
    cause: "The redirect URI is not among those of the client.",
    cure: "Register it, or correct what the client sends. It has to be the same, character by character.",
  },
  wrong_audience: {
    cause: "A token of this server for something else.",
    cure: "Send a token with the right `resource`.",
  },
  wrong_type: { cause: "A token of another kind, for example an ID token.", cure: "Send an access token." },
};
