import type { AuditReason } from "../../src/audit/events.js";

const signInAgain = "The app has to let the person sign in again. Most do that by themselves.";
const doubtful =
  "The app asks again from the start. If it happens to one app again and again, its maker has to look; if it happens to many people at once, somebody is trying.";
const startAgain = "The person starts again from the page or command where they began.";
const clocks = "Keep the clocks of this server and of the sender with NTP.";
const fixAssertion =
  "The provider that issues the assertion has to correct it. See [identity assertions](../operate/identity-assertions.md).";
const fixSignal =
  "The sender has to correct it: the token is not as its standard says. See [signals from your provider](../operate/signals.md).";
const givePermission =
  "Give the person the permission if they should have it. **Explain** in the console shows which rule would.";
const publisher =
  "The publisher of the app has to correct its metadata document. Until then a client that you register yourself works.";
const publisherAway =
  "If it is every app: let the server reach the internet. Otherwise its publisher's host is down.";
const connectAgain =
  "The person connects the account again, on the page *Connections* or with `authz connections connect`.";
const tryLater = "Try again in a moment. If it keeps happening, look at the log at that time.";
const thirdParty =
  "Compare the connector with what the third party documents; the check on its page in the console asks it.";
const correctAddress =
  "The caller corrects the address. An address has one spelling here, so that nobody reads it in two ways.";
const compareProvider =
  "Compare the sign-in provider's settings in the console with those at the provider; the check on its page asks it.";
const nothing = "Nothing: that was someone's decision.";
const directory =
  "Check the group directory and the network to it; the check on its page in the console asks it.";
const tokenStolen =
  "The grant was ended. If the person did not run two copies of the app, treat the token as stolen: look at where the requests came from.";

const oneSignIn = "The person signs in once, before the time of grace ends or after it.";
const askedProvider =
  "Look at the provider, and test the sign-in in the console. See [whether people are still there](../operate/people-and-providers.md#are-people-still-there).";

/** What to do about each reason that the audit trail knows. What it means is in the catalogs, as `audit.reasons`. */
export const auditedCures: Readonly<Record<AuditReason, string>> = {
  app_muted:
    "The app asks again an hour after the last decline. Find out why it asks for what the person does not want.",
  approval_declined:
    "The app stops, or asks the person first. The same call can be asked for again after ten minutes.",
  foreign_grant:
    "The app uses the session that made the call. If it did, a service mixes up sessions: tell its maker.",
  foreign_service: "The service presents its own challenges only.",
  not_reached:
    "The app gets a token for the service and calls it again. If it happens without such calls, the service asks by itself: tell its maker.",
  public_client: "The app sends its access token of this server, or signs in with a key (DPoP).",
  too_many_of_app: "The person answers what waits, on the account page.",
  too_many_of_person: "The person answers what waits, on the account page.",
  access_denied: nothing,
  access_ended: signInAgain,
  account_unknown: thirdParty,
  answer_lost: oneSignIn,
  assertion_audience: fixAssertion,
  assertion_client: fixAssertion,
  assertion_confirmation: fixAssertion,
  assertion_dates: fixAssertion,
  assertion_expired: "The app gets a new assertion. If it always happens: keep the clocks with NTP.",
  assertion_id: fixAssertion,
  assertion_lifetime: fixAssertion,
  assertion_not_yet_valid: clocks,
  assertion_proof_missing: "The app has to send a DPoP proof of the key that the assertion names.",
  assertion_replayed: "The app gets a new assertion for each redemption. If it did, somebody copied one.",
  assertion_resource: fixAssertion,
  assertion_scope: fixAssertion,
  assertion_subject: fixAssertion,
  assertion_unbound:
    "Switch *Accept Bearer tokens* on for the service, or let the provider bind assertions to a key.",
  assertion_unknown_resource: "Register the service, or correct the `resource` that the provider writes.",
  audience_mismatch: "The app asks with the `audience` of the service that it means.",
  bearer_not_allowed: "Switch *Accept Bearer tokens* on for the service if apps without keys are to use it.",
  cancelled: nothing,
  client_changed: connectAgain,
  client_refused: "Enter the client ID and secret that are valid at the third party; secrets expire there.",
  code_expired: startAgain,
  code_reused: doubtful,
  conflict: startAgain,
  connector_disabled: "Switch the connector on again if people are to use it.",
  connector_key_unavailable: "Restore the key. See [encryption keys](../operate/encryption-keys.md).",
  contention: tryLater,
  device_code_expired: startAgain,
  device_code_reused: doubtful,
  device_denied: nothing,
  directory_unavailable: directory,
  disconnecting: "Wait until it is done, a minute at most. Then connect again if that is wanted.",
  document_address: publisher,
  document_client_id: publisher,
  document_flow: publisher,
  document_keys: publisher,
  document_keys_unavailable: publisherAway,
  document_malformed: publisher,
  document_method: publisher,
  document_name: publisher,
  document_redirect: publisher,
  document_redirect_uris: publisher,
  document_secret: publisher,
  document_status: publisher,
  document_timeout: publisherAway,
  document_too_large: publisher,
  document_type: publisher,
  document_unavailable: publisherAway,
  document_unreachable: publisherAway,
  email_changed:
    "Compare the person in the console with the provider. Assignments to the old address do not move by themselves.",
  email_domain: "Add the domain to the sign-in provider if these people should get in.",
  email_missing:
    "Have the provider send `email`: with some, that is a scope, with others a claim to be switched on.",
  email_unverified:
    "Have the provider send `email_verified`, or tell the server to trust its addresses if it verifies every one.",
  ended_by_provider: nothing,
  expired: startAgain,
  forbidden_address: "If the address is meant, allow its network with `AUTHZ_OUTBOUND_NETWORKS`.",
  foreign_client: doubtful,
  grant_expired: signInAgain,
  grant_revoked: signInAgain,
  grant_shrunk: connectAgain,
  insufficient_scope: givePermission,
  invalid_csrf_token: "Load the console again. Many of them mean that another site is trying to use it.",
  invalid_request: "The description that the caller got names the parameter.",
  invalid_response: compareProvider,
  issuer_mismatch:
    "Compare the issuer in the settings with the one that the provider publishes, character by character.",
  login_not_allowed: "Give the person `authz:login` if they should sign in with apps.",
  login_not_consented: "The person signs in again and leaves the permission to sign in checked.",
  login_permission_missing: "Give the person `authz:login` if they should sign in with apps.",
  login_scope_missing:
    "The app has to ask for `authz:login`, and if you limited what it may be given, that has to be among it.",
  malformed_scope: "The app sends scopes separated by single spaces.",
  method_not_allowed: "Allow the method in the connector if people are to use it.",
  method_override: "The caller uses the method itself, without a header that asks for another.",
  missing_proof: "The app sends a DPoP proof, or you switch *Accept Bearer tokens* on for the service.",
  no_refresh_token: oneSignIn,
  not_connected: "The person connects an account first.",
  not_found: "Compare the name with the connectors in the console.",
  not_supported: "Add the scope to the service, or have the app ask for one that it has.",
  nothing_granted: givePermission,
  origin_added: connectAgain,
  other_account: "Connect the same account, or disconnect it first.",
  person_ended:
    "Enable the person again if it was a mistake; they then connect the account and sign the app in again.",
  prompt_none: "The app opens the browser without `prompt=none`.",
  provider_error: thirdParty,
  provider_refused: compareProvider,
  provider_timeout: "The third party is slow. Try again; ask for less.",
  provider_unreachable: "Check the network from the server to the provider, and whether the provider is up.",
  rate_limited: "Wait. If it is normal work, raise the requests a minute.",
  reconnect_required: connectAgain,
  refresh_token_expired: signInAgain,
  refresh_token_reused: tokenStolen,
  refresh_unavailable: tryLater,
  refused_wave: askedProvider,
  refused: connectAgain,
  registrations_full: "Remove apps that nobody uses, or switch registration by themselves off.",
  request_too_large: "The caller sends less, or you raise the connector's limit.",
  resource_disabled: "Switch the service on again if people are to use it.",
  resource_mismatch: "The app redeems the assertion for the service that it names.",
  response_too_large: "The caller asks for less, for example a page, or you raise the connector's limit.",
  restored:
    "People sign in and connect again; that is what a restore asks for. See [backup and restore](../operate/backup.md).",
  revoked_by_administrator: nothing,
  revoked_by_client: nothing,
  revoked_by_user: nothing,
  rotation_lost: connectAgain,
  scope_directory_unavailable: directory,
  scope_missing: "The person connects again and allows everything that is asked, or you ask for less.",
  scope_not_assigned: givePermission,
  scope_not_granted: "The app asks for the permission in a new sign-in, and the person allows it.",
  scope_not_supported: "Add the scope to the service, or have the app ask for one that it has.",
  scope_refused: askedProvider,
  server_error: "The log has the error under the same request ID. Report it if it comes again.",
  rule_asks:
    "The person approves the request, and the app makes it again. If it should need no approval, change the rule.",
  rule_limit: "Wait until the hour or the day is over, or raise the number of calls in the rule.",
  rule_refused:
    "Nothing, if the rule is meant so; else change it in the console, under the service or the connector.",
  rule_unread: "The app sends the request with a Content-Length of at most 256 KiB.",
  scopes_in_rules:
    "The app calls the service through this server. If it should call it directly, change the rules or the scopes that they name.",
  service_declines: "Turn on calls from agents for the service (`agentCalls`) if agents should reach it.",
  service_disabled: "Switch the service on again if people are to use it.",
  slow_body:
    "The app sends the request again. If it happens often, look at the network between app and server.",
  stopped:
    "An administrator starts it again in the console, under Stops; the person starts again what they stopped themselves.",
  target_characters: correctAddress,
  target_fragment: correctAddress,
  target_host: correctAddress,
  target_missing: correctAddress,
  target_not_absolute: correctAddress,
  target_not_covered: "Add the address to the connector's request prefixes if people are to reach it.",
  target_path_encoding: correctAddress,
  target_path_segments: correctAddress,
  target_scheme: correctAddress,
  target_several: correctAddress,
  target_too_long: correctAddress,
  target_user_information: correctAddress,
  signal_algorithm: fixSignal,
  signal_audience:
    "Compare the stream's audience, or the client ID of the provider, with what the sender writes into `aud`.",
  signal_content_type: fixSignal,
  signal_credential:
    "Replace the credential on the stream's page in the console, and enter it at the transmitter.",
  signal_dates: fixSignal,
  signal_event: fixSignal,
  signal_events: fixSignal,
  signal_expired: clocks,
  signal_id: fixSignal,
  signal_issuer:
    "Compare the issuer that is configured here with the one that the sender writes into `iss`, character by character.",
  signal_key_header: fixSignal,
  signal_lifetime: fixSignal,
  signal_malformed: fixSignal,
  signal_nonce: fixSignal,
  signal_not_yet_valid: clocks,
  signal_paused: "Resume the stream if its events are to count.",
  signal_provider: "Enable the provider, or correct the address that is registered there.",
  signal_replayed: "Nothing: it was acted upon the first time.",
  signal_signature:
    "The sender signs with a key of its published key set. After a change of keys, the new one is found within half a minute.",
  signal_state: "Test the stream again. If nobody asked for a test, somebody else did at the transmitter.",
  signal_subject: fixSignal,
  signal_subject_claim: fixSignal,
  signal_too_large: fixSignal,
  signal_transaction: fixSignal,
  signal_type: fixSignal,
  temporarily_unavailable: tryLater,
  too_many_at_once:
    "The caller waits for requests that are in progress. If it is normal work, raise the limit.",
  unknown_grant: signInAgain,
  unknown_person: "The person signs in once in a browser, so that the server knows them.",
  unknown_resource: "Register the service, or correct the `resource` that the app sends.",
  unknown_scope: "Create the scope, or correct the one that the app asks for.",
  unknown_service: "Register the service, or correct the address that the agent calls.",
  unknown_user: signInAgain,
  unreadable: "The person connects again. Find out who wrote to the database, or which backup was restored.",
  user_disabled: "Enable the person in the console if they should get in.",
  user_paused: "The person signs in at this server in a browser; everything goes on from there.",
  wrong_code_verifier: doubtful,
  wrong_key:
    "The app uses the key with which it signed in. If it never had it, the code or token was copied.",
  wrong_redirect_uri: "The app sends the same redirect URI in both steps.",
};
