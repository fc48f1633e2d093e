/** Whether any of a request may have reached the other side. */
export type Sent = "no" | "maybe";

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

/** The status of each refusal, and what it is called to proxies unless its reason is more precise. */
const codes = {
  invalid_request: [400, "http_request_error"],
  invalid_target: [400, "http_request_error"],
  target_not_allowed: [403, "http_request_denied"],
  method_not_allowed: [405, "http_request_denied"],
  insufficient_scope: [403, "http_request_denied"],
  not_found: [404, "http_request_denied"],
  not_connected: [409, "http_request_denied"],
  reconnect_required: [409, "http_request_denied"],
  disconnecting: [409, "http_request_denied"],
  connector_disabled: [409, "http_request_denied"],
  unknown_service: [404, "http_request_denied"],
  service_disabled: [409, "http_request_denied"],
  service_declines: [403, "http_request_denied"],
  transaction_authorization_required: [403, "http_request_denied"],
  access_ended: [401, "http_request_denied"],
  access_denied: [403, "http_request_denied"],
  request_too_large: [413, "http_request_error"],
  rate_limited: [429, "connection_limit_reached"],
  provider_unreachable: [502, "destination_unavailable"],
  response_too_large: [502, "http_response_body_size"],
  provider_timeout: [504, "http_response_timeout"],
  connector_key_unavailable: [503, "proxy_internal_error"],
  refresh_unavailable: [503, "destination_unavailable"],
  temporarily_unavailable: [503, "proxy_internal_error"],
} as const satisfies Readonly<Record<string, readonly [status: number, error: ProxyErrorType]>>;

/** The wire codes of refusals, beside those of a protected route. */
export type UseRefusalCode = keyof typeof codes;

export interface UseRefusalOptions {
  readonly code: UseRefusalCode;
  /** What happened, why, and what to do. Quotes nothing from the caller or the other side. */
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
  /** The position of the rule that decided, from 0; for the audit trail. */
  readonly rule?: number;
  /** Where a person approves the call, and for how long. */
  readonly approval?: ApprovalLink;
  readonly cause?: unknown;
}

/** Where a person answers. */
export interface ApprovalLink {
  readonly uri: string;
  readonly expiresInSeconds: number;
}

/** A request is not forwarded, or its answer cannot be passed on. */
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
  readonly rule: number | undefined;
  readonly approval: ApprovalLink | undefined;
  constructor(options: UseRefusalOptions) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.reason = options.reason ?? options.code;
    this.proxyError = options.proxyError ?? codes[options.code][1];
    this.sent = options.sent ?? "no";
    this.scope = options.scope;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
    this.host = options.host;
    this.rule = options.rule;
    this.approval = options.approval;
  }
}

/** The answer to a refused request, free of any framework. */
export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly error: UseRefusalCode;
    readonly error_description: string;
    readonly sent: Sent;
    readonly scope?: string;
    readonly authorization_uri?: string;
    readonly expires_in?: number;
  };
}

/** The answer: why, and whether anything was sent. Without `received-status` it is never taken for the other side's. */
export function refusalAnswer(refusal: UseRefusal): RefusalAnswer {
  const { code, message, proxyError, sent, scope, retryAfterSeconds, allow, approval } = refusal;
  return {
    status: codes[code][0],
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
      ...(approval !== undefined && {
        authorization_uri: approval.uri,
        expires_in: approval.expiresInSeconds,
      }),
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
