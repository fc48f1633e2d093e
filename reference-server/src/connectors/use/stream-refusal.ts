import { OutboundError } from "../../platform/outbound/outbound-error.js";
import { OutboundStreamError } from "../../platform/outbound/outbound-stream.js";
import type { StreamFailure } from "../../platform/outbound/stream-failure.js";
import type { Connector } from "../../store/connectors.js";
import { requestTooLarge } from "./admit-request.js";
import { TooManyBytesError } from "./guard-body.js";
import { type ProxyErrorType, UseRefusal } from "./use-refusal.js";

/** Says to the caller why there is no answer. A foreign error stays what it is. */
export function streamRefusal(error: unknown, connector: Connector): unknown {
  if (error instanceof OutboundError) return privateAddress(connector, error);
  if (!(error instanceof OutboundStreamError)) return error;
  const { reason, maybeSent, cause } = error;
  const sent = maybeSent ? "maybe" : "no";
  if (cause instanceof TooManyBytesError) return requestTooLarge(connector, sent);
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
