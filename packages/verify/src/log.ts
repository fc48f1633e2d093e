import { DpopError } from "@authz/dpop";
import { type Actor, JwtError } from "@authz/dpop/jwt";
import { AuthzError, type AuthzErrorCode, type AuthzErrorReason, AuthzUnavailableError } from "./errors.js";
import { describeMismatch, type Mismatch, MismatchError } from "./mismatch.js";
import { printableJson } from "./printable-json.js";
import { reasonTexts } from "./reasons.js";

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
      /**
       * For `jwt_expired` and `jwt_not_yet_valid`: how old the token says it is by this service's clock, in seconds; negative
       * when it is ahead.
       */
      readonly tokenAgeSeconds?: number;
      /** Beside `tokenAgeSeconds`: whose clock the token was made by. */
      readonly tokenIssuer?: string;
      /** The option of `initAuthz` that does not fit what the caller or the authorization server says. */
      readonly mismatch?: Mismatch;
      /** With `temporarily_unavailable`: what is out of reach and how it failed, in one line. */
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
      /** Keys of the set that are not used: of another kind, malformed, private, or with a repeated `kid`. */
      readonly unusable: number;
    }
  | {
      /** The issuer could not be reached. Keys in the cache keep serving for an hour. */
      readonly type: "issuer_unavailable";
      /** The address and how it failed, in one line. */
      readonly failure: string;
      readonly error: Error;
    };

type RefusedEvent = Extract<AuthzLogEvent, { readonly type: "refused" }>;

/** Receives log events. An error it throws is ignored: logging never changes an answer. */
export type AuthzLog = (event: AuthzLogEvent) => void;

/** Different lines that a log of one's own prints at most: whatever callers send, nobody's terminal is flooded. */
const maximumLines = 20;

/**
 * Wraps the caller's log so that it can neither fail nor be missing. Without one, a service in development says on stderr what was set up
 * wrongly or is out of reach, and which key or clock differs, each thing once; in production it says nothing.
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
  const said = new Set<string>();
  return (event) => {
    const fault = describeFault(event);
    if (fault === undefined || said.has(fault) || said.size >= maximumLines) return;
    said.add(fault);
    console.warn(`authz: ${fault}${event.type === "refused" ? describeAge(event) : ""}`);
  };
}

/** Keys, clock and addresses of this service, which are wrong for every caller alike. */
const faultsOfTheService: ReadonlySet<AuthzErrorReason> = new Set<AuthzErrorReason>([
  "jwt_signature",
  "jwt_unknown_key",
  "jwt_not_yet_valid",
  "dpop_wrong_url",
  "dpop_too_old",
  "dpop_from_the_future",
]);

function describeFault(event: AuthzLogEvent): string | undefined {
  if (event.type === "issuer_unavailable") return event.failure;
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

/** As text, because JSON, in which most services log, leaves out what errors say. */
export function describeFailure(error: Error): string {
  const { message, cause } = error;
  const isComplete = error instanceof AuthzUnavailableError && error.reason === "issuer_unavailable";
  if (isComplete || !(cause instanceof Error)) return message;
  // When every address of a host fails, Node's error has no message.
  return `${message} ${cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name)}`;
}

function ignore(): void {}

/** Logs a refusal and returns the error; any other error is the application's to log. */
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
