import { expect, test } from "vitest";
import { OutboundError } from "../../../src/platform/outbound/outbound-error.js";
import { streamFailureOf } from "../../../src/platform/outbound/stream-failure.js";

test.each([
  [Object.assign(new Error(), { code: "ENOTFOUND" }), "dns_error"],
  [Object.assign(new Error(), { code: "ECONNREFUSED" }), "connection_refused"],
  [new AggregateError([Object.assign(new Error(), { code: "EHOSTUNREACH" })]), "unroutable"],
  [Object.assign(new Error(), { code: "UND_ERR_CONNECT_TIMEOUT" }), "connection_timeout"],
  [Object.assign(new Error(), { code: "ERR_TLS_CERT_ALTNAME_INVALID" }), "tls_certificate"],
  [Object.assign(new Error(), { code: "CERT_HAS_EXPIRED" }), "tls_certificate"],
  [Object.assign(new Error(), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }), "tls_certificate"],
  [Object.assign(new Error(), { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }), "tls_certificate"],
  [Object.assign(new Error(), { code: "ERR_SSL_WRONG_VERSION_NUMBER" }), "tls_protocol"],
  [Object.assign(new Error(), { code: "ECONNRESET" }), "connection_terminated"],
  [Object.assign(new Error(), { code: "HPE_INVALID_CONSTANT" }), "protocol"],
  [Object.assign(new Error(), { code: "UND_ERR_HEADERS_OVERFLOW" }), "headers_too_large"],
  [new OutboundError("forbidden_address", "no"), "forbidden_address"],
  ["nonsense", "connection_terminated"],
  [undefined, "connection_terminated"],
])("%o is %s", (error, expected) => {
  expect(streamFailureOf(error)).toBe(expected);
});
