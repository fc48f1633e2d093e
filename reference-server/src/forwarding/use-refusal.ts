/** Whether anything of a request can have reached the other side. */
export type Sent = "no" | "maybe";

/** The wire codes of refusals, beside those of a protected route. */
export type UseRefusalCode =
  | "invalid_request"
  | "invalid_target"
  | "target_not_allowed"
  | "method_not_allowed"
  | "insufficient_scope"
  | "not_found"
  | "not_connected"
  | "reconnect_required"
  | "disconnecting"
  | "connector_disabled"
  | "unknown_service"
  | "service_disabled"
  | "service_declines"
  | "access_ended"
  | "request_too_large"
  | "rate_limited"
  | "provider_unreachable"
  | "response_too_large"
  | "provider_timeout"
  | "connector_key_unavailable"
  | "refresh_unavailable"
  | "temporarily_unavailable";

/** The types of RFC 9209 §2.3 that this server uses. */
export type ProxyErrorType =
  | "connection_limit_reached"
  | "connection_refused"
  | "connection_terminated"
  | "connection_timeout"
  | "destination_ip_prohibited"
  | "destination_ip_unroutable"
  | "destination_unavailable"
  | "dns_error"
  | "http_protocol_error"
  | "http_request_denied"
  | "http_request_error"
  | "http_response_body_size"
  | "http_response_content_coding"
  | "http_response_header_section_size"
  | "http_response_timeout"
  | "proxy_internal_error"
  | "tls_certificate_error"
  | "tls_protocol_error";

export interface UseRefusalOptions {
  readonly code: UseRefusalCode;
  /** What happened, why, and what to do. Quotes nothing that the caller or the other side sent. */
  readonly message: string;
  /** Precise; for the audit trail and the log. */
  readonly reason?: string;
  readonly proxyError?: ProxyErrorType;
  readonly sent?: Sent;
  readonly scope?: string;
  readonly retryAfterSeconds?: number;
  readonly allow?: readonly string[];
  /** Where it would have gone, for the audit trail. */
  readonly host?: string;
  readonly cause?: unknown;
}

/** A request is not sent on, or its answer cannot be handed on. */
export class UseRefusal extends Error {
  override readonly name = "UseRefusal";
  readonly code: UseRefusalCode;
  readonly reason: string;
  readonly proxyError: ProxyErrorType;
  readonly sent: Sent;
  readonly scope: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly host: string | undefined;
  constructor(options: UseRefusalOptions) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.reason = options.reason ?? options.code;
    this.proxyError = options.proxyError ?? defaultErrors[options.code];
    this.sent = options.sent ?? "no";
    this.scope = options.scope;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
    this.host = options.host;
  }
}

const defaultErrors: Readonly<Record<UseRefusalCode, ProxyErrorType>> = {
  invalid_request: "http_request_error",
  invalid_target: "http_request_error",
  target_not_allowed: "http_request_denied",
  method_not_allowed: "http_request_denied",
  insufficient_scope: "http_request_denied",
  not_found: "http_request_denied",
  not_connected: "http_request_denied",
  reconnect_required: "http_request_denied",
  disconnecting: "http_request_denied",
  connector_disabled: "http_request_denied",
  unknown_service: "http_request_denied",
  service_disabled: "http_request_denied",
  service_declines: "http_request_denied",
  access_ended: "http_request_denied",
  request_too_large: "http_request_error",
  rate_limited: "connection_limit_reached",
  provider_unreachable: "destination_unavailable",
  response_too_large: "http_response_body_size",
  provider_timeout: "http_response_timeout",
  connector_key_unavailable: "proxy_internal_error",
  refresh_unavailable: "destination_unavailable",
  temporarily_unavailable: "proxy_internal_error",
};

const statuses: Readonly<Record<UseRefusalCode, number>> = {
  invalid_request: 400,
  invalid_target: 400,
  target_not_allowed: 403,
  method_not_allowed: 405,
  insufficient_scope: 403,
  not_found: 404,
  not_connected: 409,
  reconnect_required: 409,
  disconnecting: 409,
  connector_disabled: 409,
  unknown_service: 404,
  service_disabled: 409,
  service_declines: 403,
  access_ended: 401,
  request_too_large: 413,
  rate_limited: 429,
  provider_unreachable: 502,
  response_too_large: 502,
  provider_timeout: 504,
  connector_key_unavailable: 503,
  refresh_unavailable: 503,
  temporarily_unavailable: 503,
};

/** The answer to a refused request, free of any framework. */
export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly error: UseRefusalCode;
    readonly error_description: string;
    readonly sent: Sent;
    readonly scope?: string;
  };
}

/** The answer: why, and whether anything was sent. It never has `received-status`, so it is never the other side's. */
export function refusalAnswer(refusal: UseRefusal): RefusalAnswer {
  const { code, message, proxyError, sent, scope, retryAfterSeconds, allow } = refusal;
  return {
    status: statuses[code],
    headers: {
      "proxy-status": proxyStatusError(proxyError),
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
      ...(allow !== undefined && { allow: allow.join(", ") }),
    },
    body: {
      error: code,
      error_description: message,
      sent,
      ...(scope !== undefined && { scope }),
    },
  };
}

/** This server refused, or failed to get an answer (RFC 9209 §2.1.1). */
export function proxyStatusError(type: ProxyErrorType): string {
  return `authz; error=${type}`;
}

/** The answer is the other side's own (RFC 9209 §2.1.4). */
export function proxyStatusReceived(status: number): string {
  return `authz; received-status=${String(status)}`;
}
