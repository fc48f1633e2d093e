import { DpopError } from "@authz/dpop";
import type { Actor } from "@authz/dpop/jwt";
import { AuthzError, type AuthzErrorCode, type AuthzErrorReason } from "./errors.js";

/** Something worth a line in the service's own log. Never contains a token, a proof or a key. */
export type AuthzLogEvent =
  | {
      /** A request or a token request was refused. `reason` is precise, for operators only. */
      readonly type: "refused";
      readonly code: AuthzErrorCode;
      readonly reason: AuthzErrorReason;
      /**
       * For `dpop_too_old` and `dpop_from_the_future`: how old the proof says it is by this service's clock, in seconds;
       * negative when it is ahead.
       */
      readonly proofAgeSeconds?: number;
      readonly cause?: unknown;
    }
  | {
      /** An identity assertion was exchanged for an access token. */
      readonly type: "token_issued";
      readonly subject: string;
      readonly clientId: string;
      /** The app that the person uses, when the assertion names it. */
      readonly actor?: Actor;
      readonly scopes: readonly string[];
      readonly tokenId: string;
      /** Seconds since 1970. */
      readonly expiresAt: number;
    }
  | {
      /** The issuer's key set was fetched. */
      readonly type: "issuer_keys_loaded";
      readonly usable: number;
      /** Keys of the set that are not used: foreign, malformed, private, or with a repeated `kid`. */
      readonly unusable: number;
    }
  | {
      /** The issuer could not be reached. Keys in the cache keep serving for an hour. */
      readonly type: "issuer_unavailable";
      readonly error: Error;
    };

/** Receives log events. An error it throws is ignored: logging never changes an answer. */
export type AuthzLog = (event: AuthzLogEvent) => void;

/** Wraps the caller's log so that it can neither fail nor be missing. */
export function createLog(log: AuthzLog | undefined): AuthzLog {
  if (log === undefined) return ignore;
  return (event) => {
    try {
      log(event);
    } catch {
      // A broken log must not turn a refusal into an acceptance or a failure.
    }
  };
}

function ignore(): void {}

/** Logs a refusal and returns the error; any other error is the application's to log. */
export function logRefusal(error: unknown, log: AuthzLog): unknown {
  if (error instanceof AuthzError) {
    const { code, reason, cause } = error;
    const proofAgeSeconds = cause instanceof DpopError ? cause.ageSeconds : undefined;
    log({ type: "refused", code, reason, ...(proofAgeSeconds !== undefined && { proofAgeSeconds }), cause });
  }
  return error;
}
