import { DpopError } from "@authz/dpop";
import { type Actor, JwtError } from "@authz/dpop/jwt";
import { AuthzError, type AuthzErrorCode, type AuthzErrorReason, AuthzUnavailableError } from "./errors.js";
import { describeMismatch, type Mismatch, MismatchError } from "./mismatch.js";
import { printableJson } from "./printable-json.js";
import { reasonTexts } from "./reasons.js";

/** An event for the service's own log. Never contains a token, a proof or a key. */
export type AuthzLogEvent =
  | {
      /** A request or a token request was refused. `reason` is precise, for operators only. */
      readonly type: "refused";
      readonly code: AuthzErrorCode;
      readonly reason: AuthzErrorReason;
      /**
       * For `dpop_too_old` and `dpop_from_the_future`: the age of the proof by its `iat` and this service's clock, in seconds;
       * negative when it is ahead.
       */
      readonly proofAgeSeconds?: number;
      /**
       * For `jwt_expired` and `jwt_not_yet_valid`: the age of the token by its claims and this service's clock, in seconds;
       * negative when it is ahead.
       */
      readonly tokenAgeSeconds?: number;
      /** With `tokenAgeSeconds`: the issuer of the token, whose clock set its times. */
      readonly tokenIssuer?: string;
      /** The option of `initAuthz` that differs from the request of the caller or the authorization server. */
      readonly mismatch?: Mismatch;
      /** With `temporarily_unavailable`: the unavailable dependency and its failure, in one line. */
      readonly failure?: string;
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
      /** Number of keys that are not used: of another kind, malformed, private, or with a repeated `kid`. */
      readonly unusable: number;
    }
  | {
      /** The issuer could not be reached. Keys in the cache keep serving for an hour. */
      readonly type: "issuer_unavailable";
      /** The address and the failure, in one line. */
      readonly failure: string;
      readonly error: Error;
    }
  | {
      /** The issuer's token status list was read: the first time, and the first time again after `status_list_unavailable`. */
      readonly type: "status_list_loaded";
      readonly entries: number;
    }
  | {
      /**
       * The issuer's token status list could not be read. Once per outage; until it is over, revoked tokens are good until they expire,
       * except those that the last list named.
       */
      readonly type: "status_list_unavailable";
      /** The address and the failure, in one line. */
      readonly failure: string;
      readonly error: Error;
    };

type RefusedEvent = Extract<AuthzLogEvent, { readonly type: "refused" }>;

/** Receives log events. Its errors are ignored, so that logging never changes a response. */
export type AuthzLog = (event: AuthzLogEvent) => void;

/** Maximum number of lines of the development log, so that callers cannot flood the terminal. */
const maximumLines = 20;

/**
 * Wraps the log of the options so that it never fails. Without one, a service in development prints each wrong option, unavailable
 * dependency and differing key or clock once to stderr; in production it logs nothing.
 *
 * @param isDevelopment - plain http on loopback is allowed
 */
export function createLog(log: AuthzLog | undefined, isDevelopment: boolean): AuthzLog {
  if (log === undefined) return isDevelopment ? createDevelopmentLog() : ignore;
  return (event) => {
    try {
      log(event);
    } catch {
      // A broken log must not turn a refusal into an acceptance or a failure.
    }
  };
}

function createDevelopmentLog(): AuthzLog {
  const printed = new Set<string>();
  return (event) => {
    const fault = describeFault(event);
    if (fault === undefined || printed.has(fault) || printed.size >= maximumLines) return;
    printed.add(fault);
    console.warn(`authz: ${fault}${event.type === "refused" ? describeAge(event) : ""}`);
  };
}

/** Reasons that point to a key, clock or address of this service, wrong for every caller. */
const faultsOfTheService: ReadonlySet<AuthzErrorReason> = new Set<AuthzErrorReason>([
  "jwt_signature",
  "jwt_unknown_key",
  "jwt_not_yet_valid",
  "dpop_wrong_url",
  "dpop_too_old",
  "dpop_from_the_future",
]);

function describeFault(event: AuthzLogEvent): string | undefined {
  if (event.type === "issuer_unavailable" || event.type === "status_list_unavailable") return event.failure;
  if (event.type !== "refused") return undefined;
  const { mismatch, reason, failure } = event;
  if (mismatch !== undefined) return describeMismatch(mismatch);
  if (!faultsOfTheService.has(reason)) return failure;
  const { cause, cure } = reasonTexts[reason];
  return `${reason}. ${cause} ${cure}`;
}

function describeAge({ proofAgeSeconds, tokenAgeSeconds, tokenIssuer }: RefusedEvent): string {
  if (proofAgeSeconds !== undefined) return ` (proofAgeSeconds: ${proofAgeSeconds})`;
  if (tokenAgeSeconds === undefined) return "";
  return ` (tokenAgeSeconds: ${tokenAgeSeconds}, tokenIssuer: ${printableJson(tokenIssuer)})`;
}

/** As text, because JSON, the format of most logs, omits the message of an error. */
export function describeFailure(error: Error): string {
  const { message, cause } = error;
  const isComplete = error instanceof AuthzUnavailableError && error.reason === "issuer_unavailable";
  if (isComplete || !(cause instanceof Error)) return message;
  // When every address of a host fails, Node's error has no message.
  return `${message} ${cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name)}`;
}

function ignore(): void {}

/** Logs a refusal and returns the error. Other errors are left to the application. */
export function logRefusal(error: unknown, log: AuthzLog): unknown {
  if (error instanceof AuthzError) {
    const { code, reason, cause } = error;
    const proofAgeSeconds = cause instanceof DpopError ? cause.ageSeconds : undefined;
    const age = cause instanceof JwtError ? cause.age : undefined;
    const mismatch = cause instanceof MismatchError ? cause.mismatch : undefined;
    log({
      type: "refused",
      code,
      reason,
      ...(proofAgeSeconds !== undefined && { proofAgeSeconds }),
      ...(age !== undefined && { tokenAgeSeconds: age.seconds, tokenIssuer: age.issuer }),
      ...(mismatch !== undefined && { mismatch }),
      ...(code === "temporarily_unavailable" &&
        cause instanceof Error && { failure: describeFailure(cause) }),
      cause,
    });
  }
  return error;
}
