import { OAuthError } from "../../protocol/oauth-error.js";

const issuer = "No issuer that is accepted here has signed the assertion.";
const lifetime =
  "The assertion has expired, is not valid yet, or is valid for more than an hour. Get a new one, and compare the clocks.";
const form = "The assertion needs sub and jti; resource, scope and cnf must have the form of the standard.";
const key = "The assertion is bound to a key. Send a DPoP proof made with that key.";
const resource = "The assertion's resource must be one service that is registered and enabled here.";
const grant = "The sign-in that the assertion came from has ended. Sign in again.";
const person =
  "The issuer vouches for somebody who is not known here by this account and email address. They have to sign in to this server in a browser once.";

/** What the one who presents an assertion can do something about. Nothing here says who is known. */
const explanations: Readonly<Record<string, string>> = {
  assertion_malformed: "The assertion is not a well-formed JWT.",
  assertion_type: "The assertion must be an ID-JAG: a JWT of the type oauth-id-jag+jwt.",
  assertion_issuer: issuer,
  assertion_signature: issuer,
  assertion_key_id: issuer,
  assertion_unknown_key: issuer,
  assertion_audience: "The assertion's aud must be the issuer of this server.",
  assertion_client: "The assertion's client_id must be the client that presents it.",
  assertion_dates: lifetime,
  assertion_expired: lifetime,
  assertion_not_yet_valid: lifetime,
  assertion_lifetime: lifetime,
  assertion_subject: form,
  assertion_id: form,
  assertion_scope: form,
  assertion_confirmation: form,
  assertion_resource: resource,
  assertion_unknown_resource: resource,
  resource_disabled: resource,
  assertion_replayed: "The assertion was redeemed before. Get a new one.",
  assertion_proof_missing: key,
  wrong_key: key,
  assertion_unbound:
    "The service accepts only assertions that are bound to a key, or clients that prove who they are.",
  unknown_grant: grant,
  foreign_client: grant,
  grant_revoked: grant,
  grant_expired: grant,
  user_disabled: "The account is disabled. Ask an administrator.",
};

/** The refusal of an identity assertion. `reason` is for logs and audit. */
export function invalidAssertion(reason: string, cause?: unknown): OAuthError {
  return new OAuthError("invalid_grant", reason, explanations[reason] ?? person, { cause });
}
