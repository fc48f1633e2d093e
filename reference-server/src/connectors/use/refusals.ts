import type { AuditReason } from "../../audit/events.js";
import { OutboundError } from "../../platform/outbound/outbound-error.js";
import { OutboundStreamError } from "../../platform/outbound/outbound-stream.js";
import type { StreamFailure } from "../../platform/outbound/stream-failure.js";
import type { RateLimitedError } from "../../platform/rate-limits/rate-limiter.js";
import { ConnectorKeyError } from "../../platform/vault/key-ring.js";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import { CredentialsError } from "../refresh/credentials-error.js";
import { TooManyBytesError } from "./guard-body.js";
import type { TargetError } from "./target.js";
import { type ProxyErrorType, type Sent, UseRefusal } from "./use-refusal.js";

/** Every reason why a request is not sent on, or its answer not handed back. */
export const refusals = {
  // The request, before anything is known about it.
  unknownConnector: () =>
    new UseRefusal({ code: "not_found", message: "There is no connector with this name." }),
  transferEncoding: () =>
    new UseRefusal({
      code: "invalid_request",
      message: "The transfer encoding of the request is not supported here. Use chunked, or none.",
    }),
  contentType: () =>
    new UseRefusal({
      code: "invalid_request",
      message: "The Content-Type of the request is malformed.",
    }),
  callerGone: ({ message }: Error) =>
    new UseRefusal({ code: "invalid_request", reason: "caller_gone", message }),
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

  // Whether this person may.
  missingScope: ({ name }: Connector, scope: string) =>
    new UseRefusal({
      code: "insufficient_scope",
      message: `Using ${name} needs ${scope}, which you do not have. Ask an administrator for it.`,
      scope,
    }),
  disabled: ({ name }: Connector) =>
    new UseRefusal({
      code: "connector_disabled",
      message: `An administrator has switched ${name} off. Ask whether it comes back.`,
    }),
  notUsable: (connection: Connection | undefined, { name }: Connector) => {
    const code = connection?.state ?? "not_connected";
    // Connected again meanwhile, or its connector is switched off: the next attempt will tell.
    return unusable(code === "connected" ? "not_connected" : code, name);
  },
  addressAdded: ({ name }: Connector) =>
    new UseRefusal({
      code: "reconnect_required",
      reason: "origin_added",
      message: `This address was added after you connected your account at ${name}. Connect it again: the page says where requests may go.`,
    }),
  tooManyRequests: ({ retryAfterSeconds }: RateLimitedError, { name, limits }: Connector) =>
    new UseRefusal({
      code: "rate_limited",
      message: `${name} may be used with ${String(limits.requestsPerMinute)} requests per minute. Try again in ${String(retryAfterSeconds)} seconds.`,
      retryAfterSeconds,
    }),
  tooManyAtOnce: (perPerson: number) =>
    new UseRefusal({
      code: "rate_limited",
      reason: "too_many_at_once",
      message: `${String(perPerson)} of your requests are on their way. Wait for one of them to end.`,
      retryAfterSeconds: 1,
    }),

  // What it asks for.
  method: ({ name, methods }: Connector) =>
    new UseRefusal({
      code: "method_not_allowed",
      message: `${name} may only be used with ${methods.join(", ")} here. Ask an administrator to allow more.`,
      allow: methods,
    }),
  methodOverride: ({ methods }: Connector) =>
    new UseRefusal({
      code: "method_not_allowed",
      reason: "method_override",
      message: "A header asks the third party for another method. Leave it out and use that method itself.",
      allow: methods,
    }),
  target: ({ reason, message, host }: TargetError) =>
    new UseRefusal({
      code: reason === "not_covered" ? "target_not_allowed" : "invalid_target",
      reason: `target_${reason}` satisfies AuditReason,
      message,
      ...(host !== undefined && { host }),
    }),
  requestTooLarge: ({ name, limits }: Connector, sent: Sent) =>
    new UseRefusal({
      code: "request_too_large",
      message: `A request to ${name} may have ${String(limits.requestBytes)} bytes here. Send less, or ask an administrator to allow more.`,
      sent,
    }),

  // The answer.
  impossibleStatus: ({ name }: Connector) =>
    new UseRefusal({
      code: "provider_unreachable",
      reason: "status",
      message: `${name} answered with a status that does not exist.`,
      proxyError: "http_protocol_error",
      sent: "maybe",
    }),
  responseTooLarge: ({ name, limits }: Connector) =>
    new UseRefusal({
      code: "response_too_large",
      message: `${name} answered with more than ${String(limits.responseBytes)} bytes. Ask for less, or ask an administrator to allow more.`,
      sent: "maybe",
    }),
  /** Where the token cannot be found, nothing is handed on. */
  unreadableEncoding: ({ name }: Connector) =>
    new UseRefusal({
      code: "provider_unreachable",
      reason: "encoding",
      message: `${name} answered in an encoding that cannot be read here, although it was asked for none.`,
      proxyError: "http_response_content_coding",
      sent: "maybe",
    }),
  tooManyDecoders: ({ name }: Connector) =>
    new UseRefusal({
      code: "temporarily_unavailable",
      reason: "too_many_decoders",
      message: `${name} answered with brotli, although it was asked for none, and the server is decoding as much of it as it can. Look there before you send it again.`,
      sent: "maybe",
      retryAfterSeconds: 1,
    }),
  brokeOff: (cause: Error) =>
    new UseRefusal({
      code: "provider_unreachable",
      message: "The answer of the third party broke off.",
      sent: "maybe",
      cause,
    }),
} as const;

function unusable(code: "not_connected" | "reconnect_required" | "disconnecting", name: string): UseRefusal {
  const messages = {
    not_connected: `You have no account connected at ${name}. Connect it first.`,
    reconnect_required: `The stored access to ${name} cannot be used any more. Connect your account again.`,
    disconnecting: `Your account at ${name} is being disconnected. Connect it again when that is done.`,
  };
  return new UseRefusal({ code, message: messages[code] });
}

/** Why there is no token to send. A foreign error stays what it is. */
export function tokenRefusal(error: unknown, { name }: Connector): unknown {
  if (error instanceof ConnectorKeyError) {
    const message = `The server cannot open the stored access to ${name}. Its administrators find the cause under connector keys.`;
    return new UseRefusal({ code: "connector_key_unavailable", message, cause: error });
  }
  if (!(error instanceof CredentialsError)) return error;
  const { reason, retryAfterSeconds = 5 } = error;
  if (reason !== "refresh_unavailable") return unusable(reason, name);
  const message = `The access to ${name} is due to be renewed, and ${name} cannot be asked now. Nothing was sent. Try again in ${String(retryAfterSeconds)} seconds.`;
  return new UseRefusal({ code: "refresh_unavailable", message, retryAfterSeconds, cause: error });
}

/** Why there is no answer. A foreign error stays what it is. */
export function streamRefusal(error: unknown, connector: Connector): unknown {
  if (error instanceof OutboundError) return privateAddress(connector, error);
  if (!(error instanceof OutboundStreamError)) return error;
  const { reason, maybeSent, cause } = error;
  const sent = maybeSent ? "maybe" : "no";
  if (cause instanceof TooManyBytesError) return refusals.requestTooLarge(connector, sent);
  if (reason === "forbidden_address") return privateAddress(connector, error);
  if (reason === "timeout" || reason === "connection_timeout") return timedOut(connector, error);
  if (reason === "headers_too_large") {
    const message = `${connector.name} answered with more headers than can be handed on.`;
    const proxyError = "http_response_header_section_size";
    return new UseRefusal({ code: "response_too_large", message, proxyError, reason, sent, cause: error });
  }
  const message = `${connector.name} ${failures[reason]}. ${advice(maybeSent)}`;
  const proxyError = proxyErrors[reason];
  return new UseRefusal({ code: "provider_unreachable", message, proxyError, reason, sent, cause: error });
}

function advice(maybeSent: boolean): string {
  return maybeSent
    ? "It may have been carried out there; look before you send it again."
    : "Nothing was sent. Try again later.";
}

function privateAddress({ name }: Connector, cause: Error): UseRefusal {
  const message = `The address is not on the public internet, and ${name} may not be reached there. An administrator can allow its network in AUTHZ_OUTBOUND_NETWORKS.`;
  const proxyError = "destination_ip_prohibited";
  return new UseRefusal({
    code: "target_not_allowed",
    reason: "forbidden_address",
    message,
    proxyError,
    cause,
  });
}

function timedOut({ name, limits }: Connector, error: OutboundStreamError): UseRefusal {
  const { maybeSent, reason } = error;
  const within = `within ${String(limits.timeoutSeconds)} seconds`;
  const message = `${name} did not answer ${within}. ${advice(maybeSent)}`;
  const proxyError = maybeSent ? "http_response_timeout" : "connection_timeout";
  const sent = maybeSent ? "maybe" : "no";
  return new UseRefusal({ code: "provider_timeout", message, proxyError, reason, sent, cause: error });
}

type OtherFailure = Exclude<
  StreamFailure,
  "forbidden_address" | "timeout" | "connection_timeout" | "headers_too_large"
>;

/** After the name of the third party. */
const failures: Readonly<Record<OtherFailure, string>> = {
  dns_error: "has no address at the moment: its name cannot be resolved",
  connection_refused: "refuses connections",
  unroutable: "cannot be reached from here",
  tls_certificate: "has a certificate that this server does not trust",
  tls_protocol: "does not speak TLS as it should",
  connection_terminated: "broke the connection",
  protocol: "does not speak HTTP as it should",
  ended: "was not waited for",
};

const proxyErrors: Readonly<Record<OtherFailure, ProxyErrorType>> = {
  dns_error: "dns_error",
  connection_refused: "connection_refused",
  unroutable: "destination_ip_unroutable",
  tls_certificate: "tls_certificate_error",
  tls_protocol: "tls_protocol_error",
  connection_terminated: "connection_terminated",
  protocol: "http_protocol_error",
  ended: "connection_terminated",
};
