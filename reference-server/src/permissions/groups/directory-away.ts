import { pauseSeconds } from "./directories.js";
import { OAuthError } from "../../protocol/oauth-error.js";

/**
 * It cannot be decided whether a person has a permission: a group may give it, and its directory does not answer.
 *
 * It does not refuse what was presented: a code, a token or a session stays valid.
 */
export function directoryAway(): OAuthError {
  const message =
    "The directory that knows your groups is not answering, so your permissions cannot be checked. Try again in a moment.";
  return new OAuthError("temporarily_unavailable", "scope_directory_unavailable", message, {
    retryAfterSeconds: pauseSeconds,
  });
}
