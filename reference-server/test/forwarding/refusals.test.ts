import { describe, expect, test } from "vitest";
import { createSlots } from "../../src/forwarding/slots.js";
import { streamRefusal } from "../../src/forwarding/refusals.js";
import {
  proxyStatusReceived,
  refusalAnswer,
  UseRefusal,
  type UseRefusalCode,
} from "../../src/forwarding/use-refusal.js";
import { OutboundStreamError } from "../../src/platform/outbound/outbound-stream.js";
import type { StreamFailure } from "../../src/platform/outbound/stream-failure.js";
import type { Connector } from "../../src/store/connectors.js";
import { testConnector } from "../support/connectors.js";

const connector: Connector = {
  ...testConnector(),
  clientSecret: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  version: 1,
};

function refusalOf(run: () => unknown): UseRefusal | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof UseRefusal) return error;
    throw error;
  }
}

describe("a failure of the connection becomes a refusal", () => {
  test.each<[StreamFailure, boolean, UseRefusalCode, number, string]>([
    ["forbidden_address", false, "target_not_allowed", 403, "destination_ip_prohibited"],
    ["dns_error", false, "provider_unreachable", 502, "dns_error"],
    ["connection_refused", false, "provider_unreachable", 502, "connection_refused"],
    ["connection_timeout", false, "provider_timeout", 504, "connection_timeout"],
    ["unroutable", false, "provider_unreachable", 502, "destination_ip_unroutable"],
    ["tls_certificate", false, "provider_unreachable", 502, "tls_certificate_error"],
    ["tls_protocol", false, "provider_unreachable", 502, "tls_protocol_error"],
    ["connection_terminated", true, "provider_unreachable", 502, "connection_terminated"],
    ["protocol", true, "provider_unreachable", 502, "http_protocol_error"],
    ["headers_too_large", true, "response_too_large", 502, "http_response_header_section_size"],
    ["timeout", false, "provider_timeout", 504, "connection_timeout"],
    ["timeout", true, "provider_timeout", 504, "http_response_timeout"],
    ["ended", true, "provider_unreachable", 502, "connection_terminated"],
  ])("%s, perhaps sent: %s", (failure, maybeSent, code, status, type) => {
    const error = streamRefusal(new OutboundStreamError(failure, maybeSent, undefined), connector);
    if (!(error instanceof UseRefusal)) throw new Error("no refusal");
    const answer = refusalAnswer(error);
    expect(answer.status).toBe(status);
    expect(answer.headers["proxy-status"]).toBe(`authz; error=${type}`);
    expect(answer.body).toMatchObject({ error: code, sent: maybeSent ? "maybe" : "no" });
    expect(answer.body.error_description).toMatch(/^[A-Z].*\.$/);
  });

  test("and a foreign error stays what it is", () => {
    const foreign = new TypeError("a mistake of ours");
    expect(streamRefusal(foreign, connector)).toBe(foreign);
  });
});

test("an answer of the third party says so", () => {
  expect(proxyStatusReceived(401)).toBe("authz; received-status=401");
});

describe("places", () => {
  test("are limited for each person, and are given back once", () => {
    const take = createSlots({ perPerson: 2, total: 10 });
    const giveBack = take("a");
    take("a");
    expect(refusalOf(() => take("a"))).toMatchObject({ code: "rate_limited", retryAfterSeconds: 1 });
    expect(refusalOf(() => take("b"))).toBeUndefined();
    giveBack();
    giveBack();
    expect(refusalOf(() => take("a"))).toBeUndefined();
    expect(refusalOf(() => take("a"))).toMatchObject({ code: "rate_limited" });
  });

  test("are limited altogether", () => {
    const take = createSlots({ perPerson: 2, total: 3 });
    for (const id of ["a", "b", "c"]) take(id);
    expect(refusalOf(() => take("d"))).toMatchObject({ code: "temporarily_unavailable", sent: "no" });
  });
});
