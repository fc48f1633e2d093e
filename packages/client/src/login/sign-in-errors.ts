import { AuthzClientError } from "../errors.js";
import { quoted } from "../quoted.js";

/** The error for a log-in that broke off. */
export function signInFailed(why: string, cause?: unknown): AuthzClientError {
  return new AuthzClientError("sign_in_failed", {
    what: "Signing in did not work.",
    why,
    hint: "Try again",
    next: { do: "sign_in" },
    cause,
  });
}

/** The error for a log-in that the person, or the server, did not allow. */
export function signInDenied(description: string | undefined, cause: unknown): AuthzClientError {
  return new AuthzClientError("sign_in_denied", {
    what: "Signing in was not allowed.",
    why:
      description === undefined
        ? "It was declined on the consent page, or you may not use this client."
        : `The server says: ${quoted(description)}`,
    hint: 'If you did not decline it, ask an administrator for the permission "authz:login".',
    cause,
  });
}

/** The error for a log-in that nobody finished. */
export function signInTimedOut(why: string, cause?: unknown): AuthzClientError {
  return new AuthzClientError("sign_in_timed_out", {
    what: "Nobody finished signing in.",
    why,
    hint: "Try again",
    next: { do: "sign_in" },
    cause,
  });
}

/** The error for a log-in that was stopped, for example with Ctrl-C. */
export function signInCancelled(): AuthzClientError {
  return new AuthzClientError("sign_in_cancelled", {
    what: "Signing in was stopped.",
    hint: "Nothing was stored. Start again",
    next: { do: "sign_in" },
  });
}
