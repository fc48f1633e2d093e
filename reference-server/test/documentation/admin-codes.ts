import type { AdminErrorCode } from "../../src/admin/door/refusals.js";

/** What each code of the administration API means, and what to do about it. */
export const adminCodes: Readonly<Record<AdminErrorCode, { readonly cause: string; readonly cure: string }>> =
  {
    invalid_request: {
      cause: "The request is not as described.",
      cure: "`fields` names each member that is wrong. Members that are not described are refused as well.",
    },
    login_required: { cause: "Nobody is signed in, or the session has ended.", cure: "Sign in again." },
    access_denied: {
      cause: "The caller has no role here, or a machine uses what is for browsers.",
      cure: "Ask an administrator.",
    },
    forbidden: {
      cause:
        "The caller has a role, and it does not reach this far: not this route, this person, or this permission.",
      cure: "The description says which role may. See [who may change what](../operate/roles.md).",
    },
    invalid_csrf_token: {
      cause: "The request did not come from this server's console.",
      cure: "Load the console again.",
    },
    not_found: {
      cause: "There is nothing at this address, or it was removed.",
      cure: "Load the list again.",
    },
    already_exists: { cause: "The key, address or name is taken.", cure: "Choose another one." },
    in_use: { cause: "Something else refers to it.", cure: "The description says what. Change that first." },
    last_administrator: {
      cause: "After this, nobody who can sign in would be an administrator.",
      cure: "Give `authz:administer` to somebody else first, by email address.",
    },
    last_provider: { cause: "Afterwards nobody could sign in.", cure: "Add another sign-in provider first." },
    test_required: {
      cause: "The provider would serve with settings that no test sign-in has passed with.",
      cure: "`POST /identity-providers/{key}/tests`, with `changes` for those that are not saved. What no browser can test: `untested: true`, which the audit trail names.",
    },
    connector_key_unavailable: {
      cause: "Nothing of a connector can be encrypted.",
      cure: "The description names the variable. See [encryption keys](../operate/encryption-keys.md).",
    },
    version_conflict: {
      cause: "Somebody else changed it meanwhile.",
      cure: "`current` is the object as it is now: decide again.",
    },
    payload_too_large: { cause: "The body is larger than this route takes.", cure: "Send less." },
    unsupported_media_type: {
      cause: "The body is of another type than this route takes.",
      cure: "The description names the types.",
    },
    precondition_required: {
      cause: "`If-Match` is missing.",
      cure: "Send the `ETag` of the version you saw.",
    },
  };
