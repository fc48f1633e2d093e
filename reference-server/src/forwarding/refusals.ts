import { quoted } from "@authz/skills/invisible";
import type { AuditReason } from "../audit/events.js";
import { OutboundError } from "../platform/outbound/outbound-error.js";
import { OutboundStreamError } from "../platform/outbound/outbound-stream.js";
import type { StreamFailure } from "../platform/outbound/stream-failure.js";
import type { RateLimitedError } from "../platform/rate-limits/rate-limiter.js";
import { DatabaseUnavailableError } from "../store/database-unavailable-error.js";
import type { UnclearReason } from "../rules/readable-call.js";
import type { Destination } from "./destination.js";
import { TooManyBytesError } from "./guard-body.js";
import { TargetError } from "./target.js";
import { CallerGoneError } from "./upload-body.js";
import { CallCutError } from "./watch-calls.js";
import { type ApprovalLink, type ProxyErrorType, type Sent, UseRefusal } from "./use-refusal.js";

/** Why a request is not forwarded, or its answer not handed back, whatever the destination. */
export const refusals = {
  // The server.
  databaseAway: () =>
    new UseRefusal({
      code: "temporarily_unavailable",
      message: "The server cannot reach its database. Try again in a moment.",
      retryAfterSeconds: 1,
    }),
  overloaded: () =>
    new UseRefusal({
      code: "temporarily_unavailable",
      message: "The server cannot take this request now. Try again in a moment.",
      retryAfterSeconds: 1,
    }),
  callerGone: ({ message }: Error) =>
    new UseRefusal({ code: "invalid_request", reason: "caller_gone", message }),

  cut: (sent: Sent) =>
    new UseRefusal({
      code: "access_denied",
      reason: "call_cut",
      message: `The request was ended, because the access that it needs was stopped or has ended.${sent === "maybe" ? " It may have been carried out there; check before you send it again." : ""}`,
      sent,
    }),

  // How much.
  tooManyRequests: ({ retryAfterSeconds }: RateLimitedError, { name, limits }: Destination) =>
    new UseRefusal({
      code: "rate_limited",
      message: `${name} allows ${String(limits.requestsPerMinute)} requests per minute. Try again in ${String(retryAfterSeconds)} seconds.`,
      retryAfterSeconds,
    }),
  tooManyAtOnce: (perPerson: number) =>
    new UseRefusal({
      code: "rate_limited",
      reason: "too_many_at_once",
      message: `${String(perPerson)} of your requests are in progress. Wait for one to finish.`,
      retryAfterSeconds: 1,
    }),
  requestTooLarge: (destination: Destination, sent: Sent) =>
    new UseRefusal({
      code: "request_too_large",
      message: `A request to ${destination.name} may have at most ${String(destination.limits.requestBytes)} bytes here. Send less${orMore(destination)}.`,
      sent,
    }),

  // What it asks for.
  method: (destination: Destination, methods: readonly string[]) =>
    new UseRefusal({
      code: "method_not_allowed",
      message: `${destination.name} may only be used with ${methods.join(", ")} here.${destination.limitsAreFixed === true ? "" : " Ask an administrator to allow more."}`,
      allow: methods,
    }),
  methodOverride: (methods: readonly string[]) =>
    new UseRefusal({
      code: "method_not_allowed",
      reason: "method_override",
      message: "A header asks the other side for another method. Leave it out and use that method directly.",
      allow: methods,
    }),
  target: ({ reason, message, host }: TargetError) =>
    new UseRefusal({
      code: reason === "not_covered" ? "target_not_allowed" : "invalid_target",
      reason: `target_${reason}` satisfies AuditReason,
      message,
      ...(host !== undefined && { host }),
    }),

  // Rules.
  byRule: ({ name }: Destination, { sentence, rule, unclear, endsIn }: RuleRefusal) =>
    new UseRefusal({
      code: "access_denied",
      reason: endsIn === undefined ? "rule_refused" : "rule_limit",
      message: [
        endsIn === undefined
          ? `A rule of ${name} does not allow this request.`
          : `A rule of ${name} limits how often this request may be made. It may be made again in ${String(endsIn)} seconds.`,
        ...quoteAdministrator(sentence),
        ...adviceFor(unclear),
      ].join(" "),
      rule,
      ...(endsIn !== undefined && { retryAfterSeconds: endsIn }),
    }),
  approvalRequired: ({ name }: Destination, { rule, unclear }: RuledBy) =>
    new UseRefusal({
      code: "transaction_authorization_required",
      reason: "rule_asks",
      message: [
        `A rule of ${name} demands a person's approval for this request. Nothing was sent.`,
        ...adviceFor(unclear),
      ].join(" "),
      rule,
    }),
  approvalPending: ({ name }: Destination, { by, link, rule }: PendingApproval) => {
    const who =
      by === "self"
        ? "Ask the person to open"
        : "Another person, of the group that the rule names, has to open";
    return new UseRefusal({
      code: "transaction_authorization_required",
      reason: "rule_asks",
      message: `A rule of ${name} demands a person's approval for this call. Nothing was sent. ${who} ${link.uri} within ${minutesOf(link)}. After that, the same call, unchanged, is carried out, once.`,
      approval: link,
      rule,
    });
  },
  approvalDeclined: ({ name }: Destination, rule: number) =>
    new UseRefusal({
      code: "access_denied",
      reason: "approval_declined",
      message: `A person declined this call to ${name}. Nothing was sent. Do not try it again; ask the person what they want instead.`,
      rule,
    }),
  approvalImpossible: (reason: AuditReason, message: string, rule: number) =>
    new UseRefusal({ code: "access_denied", reason, message: `${message} Nothing was sent.`, rule }),
  unreadForApproval: ({ name }: Destination, most: number, rule: number) =>
    new UseRefusal({
      code: "request_too_large",
      reason: "rule_unread",
      message: `A rule of ${name} demands a person's approval for this request, which must have a Content-Length of at most ${String(most)} bytes for that. Send less.`,
      rule,
    }),
  slowBody: () =>
    new UseRefusal({
      code: "invalid_request",
      reason: "slow_body",
      message: "The body of the request did not arrive in time. Nothing was sent. Send it again.",
    }),

  // The answer.
  impossibleStatus: ({ name }: Destination) =>
    new UseRefusal({
      code: "provider_unreachable",
      reason: "status",
      message: `${name} answered with a status that does not exist.`,
      proxyError: "http_protocol_error",
      sent: "maybe",
    }),
  responseTooLarge: (destination: Destination) =>
    new UseRefusal({
      code: "response_too_large",
      message: `${destination.name} answered with more than ${String(destination.limits.responseBytes)} bytes. Ask for less${orMore(destination)}.`,
      sent: "maybe",
    }),
  /** A body that cannot be searched for the token is not handed on. */
  unreadableEncoding: ({ name }: Destination) =>
    new UseRefusal({
      code: "provider_unreachable",
      reason: "encoding",
      message: `${name} answered in an encoding that cannot be read here, although it was asked for none.`,
      proxyError: "http_response_content_coding",
      sent: "maybe",
    }),
  tooManyDecoders: ({ name }: Destination) =>
    new UseRefusal({
      code: "temporarily_unavailable",
      reason: "too_many_decoders",
      message: `${name} answered with brotli, although it was asked for none, and the server is decoding as much of it as it can. Check there before you send it again.`,
      sent: "maybe",
      retryAfterSeconds: 1,
    }),
  brokeOff: (cause: Error) =>
    new UseRefusal({
      code: "provider_unreachable",
      message: "The answer broke off.",
      sent: "maybe",
      cause,
    }),
} as const;

/** The rule that decided, and why it could not be evaluated. */
interface RuledBy {
  /** The position, from 0. */
  readonly rule: number;
  readonly unclear: UnclearReason | undefined;
}

/** A call that waits for a person. */
interface PendingApproval {
  /** Who answers: the person whose app calls, or another one of a group. */
  readonly by: "self" | "group";
  readonly link: ApprovalLink;
  readonly rule: number;
}

function minutesOf({ expiresInSeconds }: ApprovalLink): string {
  const minutes = Math.max(Math.floor(expiresInSeconds / 60), 1);
  return minutes === 1 ? "a minute" : `${String(minutes)} minutes`;
}

interface RuleRefusal extends RuledBy {
  /** The administrator's words. */
  readonly sentence: string | undefined;
  /** Seconds until a limit has room again. */
  readonly endsIn: number | undefined;
}

/** Quoting keeps the sentence from closing its frame. */
function quoteAdministrator(sentence: string | undefined): readonly string[] {
  return sentence === undefined ? [] : [`The administrator says: ${quoted(sentence)}`];
}

/** What makes a request that rules could not be evaluated for clear. */
const clearer: Readonly<Record<UnclearReason, string>> = {
  body_encoding: "The rules cannot read an encoded body. Send it without Content-Encoding.",
  body_long:
    "The rules cannot read a body that is longer than 256 KiB or does not say its length. Send less.",
  body_not_json: "The rules can only read a body of JSON, with Content-Type application/json.",
  body_ambiguous:
    "The rules cannot read this body: it is no strict JSON, has a member twice, or a number of more than 15 digits.",
  batch: "The rules cannot look into a batch. Send its requests one by one.",
  graphql: "The rules cannot look into GraphQL.",
  method_override: "A field of the request asks for another method. Leave it out and use that method.",
  path: "The path is encoded twice. Encode it once.",
  query: "A parameter of the query appears twice. Send each once.",
  condition:
    "The condition of a rule has no value for this request: a member is missing, or of another type.",
};

function adviceFor(unclear: UnclearReason | undefined): readonly string[] {
  return unclear === undefined ? [] : [clearer[unclear]];
}

function orMore({ limitsAreFixed }: Destination): string {
  return limitsAreFixed === true ? "" : ", or ask an administrator to allow more";
}

/** What a failure of forwarding means to the caller; `undefined` for an unforeseen one. */
export function asRefusal(error: unknown): UseRefusal | undefined {
  if (error instanceof UseRefusal) return error;
  if (error instanceof CallerGoneError) return refusals.callerGone(error);
  if (error instanceof OutboundStreamError && error.cause instanceof CallCutError)
    return refusals.cut("maybe");
  // The answer broke before its first line went out.
  if (error instanceof OutboundStreamError || error instanceof TooManyBytesError)
    return refusals.brokeOff(error);
  if (error instanceof DatabaseUnavailableError) return refusals.databaseAway();
  return undefined;
}

/** Why there is no answer. An unforeseen error stays what it is. */
export function streamRefusal(error: unknown, destination: Destination): unknown {
  if (error instanceof OutboundError) return privateAddress(destination, error);
  if (!(error instanceof OutboundStreamError)) return error;
  const { reason, maybeSent, cause } = error;
  const sent = maybeSent ? "maybe" : "no";
  const { name, limits } = destination;
  const known = { reason, sent, cause: error } as const;
  if (cause instanceof CallCutError) return refusals.cut(sent);
  if (cause instanceof TooManyBytesError) return refusals.requestTooLarge(destination, sent);
  if (reason === "forbidden_address") return privateAddress(destination, error);
  if (reason === "headers_too_large")
    return new UseRefusal({
      code: "response_too_large",
      message: `${name} answered with more headers than can be passed on.`,
      proxyError: "http_response_header_section_size",
      ...known,
    });
  const advice = maybeSent
    ? "It may have been carried out there; check before you send it again."
    : "Nothing was sent. Try again later.";
  if (reason === "timeout" || reason === "connection_timeout")
    return new UseRefusal({
      code: "provider_timeout",
      message: `${name} did not answer within ${String(limits.timeoutSeconds)} seconds. ${advice}`,
      proxyError: maybeSent ? "http_response_timeout" : "connection_timeout",
      ...known,
    });
  const [words, proxyError] = failures[reason];
  return new UseRefusal({
    code: "provider_unreachable",
    message: `${name} ${words}. ${advice}`,
    proxyError,
    ...known,
  });
}

function privateAddress({ name }: Destination, cause: Error): UseRefusal {
  return new UseRefusal({
    code: "target_not_allowed",
    reason: "forbidden_address",
    message: `The address is not on the public internet, and ${name} may not be reached there. An administrator can allow its network in AUTHZ_OUTBOUND_NETWORKS.`,
    proxyError: "destination_ip_prohibited",
    cause,
  });
}

/** Failures with the same form: what is said after the name of the other side, and the error to proxies. */
const failures: Readonly<
  Record<
    Exclude<StreamFailure, "forbidden_address" | "timeout" | "connection_timeout" | "headers_too_large">,
    readonly [words: string, error: ProxyErrorType]
  >
> = {
  dns_error: ["has no address at the moment: its name cannot be resolved", "dns_error"],
  connection_refused: ["refuses connections", "connection_refused"],
  unroutable: ["cannot be reached from here", "destination_ip_unroutable"],
  tls_certificate: ["has a certificate that this server does not trust", "tls_certificate_error"],
  tls_protocol: ["does not speak TLS correctly", "tls_protocol_error"],
  connection_terminated: ["broke the connection", "connection_terminated"],
  protocol: ["does not speak HTTP correctly", "http_protocol_error"],
  ended: ["was not waited for", "connection_terminated"],
};

/** The target that `read` finds. @throws {UseRefusal} There is none. */
export function orRefuseTarget<Found>(read: () => Found): Found {
  try {
    return read();
  } catch (error) {
    throw error instanceof TargetError ? refusals.target(error) : error;
  }
}
