import { DpopError } from "@authz/dpop";
import { OAuthError } from "./oauth-error.js";

/** Translates a refused proof; every other error passes through. */
export function fromDpopError(error: unknown): unknown {
  return error instanceof DpopError
    ? new OAuthError(error.code, error.reason, error.message, { cause: error })
    : error;
}
