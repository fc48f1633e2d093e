import { OutboundError } from "./outbound-error.js";

/** Why a forwarded request got no answer, or not all of it. */
export type StreamFailure =
  | "forbidden_address"
  | "dns_error"
  | "connection_refused"
  | "connection_timeout"
  | "unroutable"
  | "tls_certificate"
  | "tls_protocol"
  | "connection_terminated"
  | "protocol"
  | "headers_too_large"
  | "timeout"
  | "ended";

const certificateCodes =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT_.*)$/;

const byCode: Readonly<Record<string, StreamFailure>> = {
  ENOTFOUND: "dns_error",
  EAI_AGAIN: "dns_error",
  EAI_FAIL: "dns_error",
  EAI_NODATA: "dns_error",
  EAI_NONAME: "dns_error",
  ECONNREFUSED: "connection_refused",
  ETIMEDOUT: "connection_timeout",
  UND_ERR_CONNECT_TIMEOUT: "connection_timeout",
  EHOSTUNREACH: "unroutable",
  ENETUNREACH: "unroutable",
  EADDRNOTAVAIL: "unroutable",
  EACCES: "unroutable",
  UND_ERR_HEADERS_OVERFLOW: "headers_too_large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "connection_terminated",
  DeadlineError: "timeout",
  CallerGoneError: "ended",
  AbortError: "ended",
};

/** Classifies an error of the connection, of undici or of the request's own end. */
export function streamFailureOf(error: unknown): StreamFailure {
  if (error instanceof OutboundError) return "forbidden_address";
  if (error instanceof AggregateError && error.errors.length > 0) return streamFailureOf(error.errors[0]);
  const { code = "", name = "" } = (error ?? {}) as { code?: string; name?: string };
  const known = byCode[code] ?? byCode[name];
  if (known !== undefined) return known;
  if (certificateCodes.test(code)) return "tls_certificate";
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") return "tls_protocol";
  if (code.startsWith("HPE_") || name === "HTTPParserError") return "protocol";
  return "connection_terminated";
}
